import fc from 'fast-check'
import { type BrandFiles, wellKnown } from './expected-brand.ts'

/** Few, so that what they publish has to do with one another; one is below another. */
export const brandDomains = [
  'ash.example',
  'bay.example',
  'elm.example',
  'fig.example',
  'shop.ash.example',
]
const elsewhere = ['https://cdn.example/1.json', 'https://files.ash.example/2.json']
export const brandAddresses = [...brandDomains.map(wellKnown), ...elsewhere]

const domain = fc.constantFrom(...brandDomains)
const id = fc.constantFrom('one', 'one', 'one', 'two')
const optional = <Value>(value: fc.Arbitrary<Value>, nil: number) =>
  fc.oneof({ weight: nil, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: value })

const agents = fc.array(
  fc.constantFrom('brand', 'sales').map(type => ({ type, url: `https://${type}.example/mcp` })),
  { minLength: 1, maxLength: 1 },
)
const website = fc.record({
  type: fc.constantFrom('website', 'website', 'website', 'mobile_app'),
  identifier: domain,
  primary: optional(fc.boolean(), 2),
  relationship: optional(fc.constantFrom('owned', 'owned', 'direct', 'delegated', 'ad_network'), 4),
})
const brand = fc.record({
  id,
  names: fc.constantFrom(
    [{ en: 'Name' }],
    [{ de: 'Der Name' }, { en: 'The Name' }],
    [{ fr: 'Le nom' }],
  ),
  keller_type: optional(fc.constantFrom('master', 'sub_brand', 'endorsed', 'independent'), 1),
  properties: fc.array(website, { maxLength: 3 }),
  agents: optional(agents, 4),
})

const ref = fc.record({
  domain,
  brand_id: id,
  effective_at: optional(
    fc.constantFrom(
      '2026-11-01T00:00:00Z',
      '2026-06-01T00:00:00Z',
      '2026-05-01T00:00:00Z',
      '2090-01-01T00:00:00Z',
    ),
    3,
  ),
})

/** Draws a portfolio, mostly of the domain that serves it. */
const portfolioAt = (address: string) =>
  fc
    .record({
      house: fc
        .oneof({ weight: 2, arbitrary: fc.constant(new URL(address).hostname) }, domain)
        .map(name => ({ domain: name, name: `House ${name}` })),
      brands: fc.array(brand, { maxLength: 2 }),
      brand_refs: fc.array(ref, { maxLength: 5 }),
    })
    .filter(({ brands, brand_refs }) => brands.length + brand_refs.length > 0)

const canonical = fc
  .record({ brand, house_domain: optional(domain, 1) })
  .map(({ brand: own, house_domain }) => ({ ...own, house_domain }))

/** Draws the file of a brand that the schema forbids in what identifies it. */
const impossible = fc.record({
  file: canonical,
  fault: fc.constantFrom(
    { id: 'Not An Id' },
    { names: [] },
    { id: 'x-y', names: [{}] },
    { house_domain: 'no domain' },
    { house_domain: 7 },
    { brands: [] },
    { brand_refs: [] },
    { house: { domain: 'ash.example', name: 'Ash' } },
    { authorized_operators: [] },
    { note: 'moved' },
    { region: 'GB' },
  ),
})

const pointer = fc.constantFrom(...brandAddresses)
const redirect = domain.map(house => ({ house }))

const fileAt = (address: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 5, arbitrary: portfolioAt(address) },
    { weight: 5, arbitrary: canonical },
    { weight: 5, arbitrary: redirect },
    { weight: 3, arbitrary: pointer.map(authoritative_location => ({ authoritative_location })) },
    { weight: 1, arbitrary: agents.map(list => ({ agents: list })) },
    { weight: 1, arbitrary: impossible.map(({ file, fault }) => ({ ...file, ...fault })) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, { hello: 1 }, []) },
  )

/** Draws the files of all domains, as JSON brings them: without undefined members. */
export const brandFiles: fc.Arbitrary<BrandFiles> = fc
  .record(Object.fromEntries(brandAddresses.map(address => [address, fileAt(address)])))
  .map(files => JSON.parse(JSON.stringify(files)) as BrandFiles)
