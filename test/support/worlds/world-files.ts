import fc from 'fast-check'
import { DAY, type Instant, toIso } from '../../../pipeline/core/clock.ts'

/**
 * Domains of a generated world. There are few, so that files meet: they point at each other, list each
 * other's properties, and take back what they said the night before.
 */
export const publishers = ['m.example', 'a.example', 'b.example', 'c.example'] as const
export const houses = ['h.example', 'g.example'] as const
export const leaves = ['k.example', 'l.example'] as const
export const brandDomains = [...houses, ...leaves] as const
/** Domains of which people save a brand; the first publishes no brand.json. */
export const savedDomains = ['e.example', ...leaves] as const
export const agents = ['https://x.example/mcp', 'https://y.example/mcp', 'https://z.example/mcp']

/** Files at other locations than the well-known one. */
export const otherLocations = {
  'adagents.json': 'https://files.m.example/shared.json',
  'brand.json': 'https://files.h.example/brand.json',
} as const

export const worldStart: Instant = Date.parse('2026-11-20T03:00:00Z')

const publisher = fc.constantFrom(...publishers)
const agent = fc.constantFrom(...agents)
const tag = fc.constantFrom('news', 'sport')
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const arbitraryList = <Value>(value: fc.Arbitrary<Value>, maxLength: number) =>
  fc.array(value, { maxLength, size: 'max' })

const daysIn = (days: number) => toIso(worldStart + days * DAY)

/** Moments around which the clock of a world moves. */
const moment = fc.constantFrom(-200, -179, -100, -1, 0.05, 1, 3, 8, 40).map(daysIn)

/** Draws the owner of a property: mostly the domain of the file, except in files that many share. */
const ownerIn = (location: string) =>
  location === 'm.example' || location.includes('://')
    ? publisher
    : fc.oneof({ weight: 3, arbitrary: fc.constant(location) }, { weight: 1, arbitrary: publisher })

const propertyIn = (location: string) =>
  fc
    .record({
      owner: ownerIn(location),
      number: fc.constantFrom(1, 2),
      edition: fc.constantFrom('', ' II'),
      tags: arbitraryList(tag, 2),
      isSpelled: fc.boolean(),
      hasId: fc.boolean(),
    })
    .map(({ owner, number, edition, tags, isSpelled, hasId }) => ({
      ...(hasId ? { property_id: `p${number}` } : {}),
      property_type: 'website',
      name: `Site ${number}${edition}`,
      tags,
      identifiers: [{ type: 'domain', value: number === 1 ? owner : `www${number}.${owner}` }],
      ...(isSpelled ? { publisher_domain: owner } : {}),
    }))

const selector = fc.oneof(
  fc.record({
    publisher_domains: fc.uniqueArray(publisher, { minLength: 2, maxLength: 4 }),
    selection_type: fc.constant('all'),
  }),
  fc.record({
    publisher_domains: fc.uniqueArray(publisher, { minLength: 1, maxLength: 3 }),
    selection_type: fc.constant('by_tag'),
    property_tags: fc.array(tag, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    publisher_domain: publisher,
    selection_type: fc.constant('by_id'),
    property_ids: fc.constantFrom(['p1'], ['p1', 'p2']),
  }),
)

const reachIn = (location: string) =>
  fc.oneof(
    fc.record({
      authorization_type: fc.constant('publisher_properties'),
      publisher_properties: fc.array(selector, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      authorization_type: fc.constant('property_ids'),
      property_ids: fc.constantFrom(['p1'], ['p2', 'p1']),
    }),
    fc.record({
      authorization_type: fc.constant('property_tags'),
      property_tags: fc.array(tag, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      authorization_type: fc.constant('inline_properties'),
      properties: fc.array(propertyIn(location), { minLength: 1, maxLength: 2 }),
    }),
    fc.constant({ authorization_type: 'signal_ids', signal_ids: ['boats'] }),
  )

/** The window of a grant: none, open on a side, or closed. */
const window = fc.record({ effective_from: moment, effective_until: moment }, { requiredKeys: [] })

const terms = fc.record(
  { authorized_for: fc.constantFrom('Sales', 'Resale'), countries: fc.constant(['DE']) },
  { requiredKeys: [] },
)

const entryIn = (location: string) =>
  fc
    .tuple(agent, reachIn(location), window, terms)
    .map(([url, reached, between, more]) => ({ url, ...reached, ...between, ...more }))

/** Draws a show, perhaps distributed by others too. */
const collectionIn = (location: string) =>
  fc.record({
    collection_id: fc.constantFrom('s1', 's2'),
    name: fc.constantFrom('Show', 'Show II'),
    kind: fc.constant('series'),
    distribution: fc.array(
      ownerIn(location).map(publisher_domain => ({
        publisher_domain,
        identifiers: [{ type: 'apple_podcast_id', value: '1' }],
      })),
      { maxLength: 2 },
    ),
  })

const revocation = fc.record({ publisher_domain: publisher, revoked_at: moment })

const inventoryAt = (location: string) =>
  fc.record(
    {
      properties: fc.array(propertyIn(location), { minLength: 1, maxLength: 6, size: 'max' }),
      authorized_agents: fc.array(entryIn(location), { minLength: 1, maxLength: 3, size: 'max' }),
      collections: arbitraryList(collectionIn(location), 2),
      revoked_publisher_domains: arbitraryList(revocation, 2),
      last_updated: fc.constantFrom(-3, -1, 0.05, 1).map(daysIn),
    },
    { requiredKeys: ['properties', 'authorized_agents'] },
  )

const pointer = fc
  .constantFrom(
    otherLocations['adagents.json'],
    ...publishers.map(domain => `https://${domain}/.well-known/adagents.json`),
  )
  .map(authoritative_location => ({ authoritative_location }))

const brandName = fc.constantFrom('One', 'Two')
const owned = (domains: readonly string[]) =>
  domains.map(identifier => ({ type: 'website', identifier }))
const brandDomain = fc.constantFrom(...brandDomains)

const leafFile = (domain: string) =>
  fc
    .record({
      name: brandName,
      house: fc.constantFrom(undefined, 'h.example', 'h.example', 'h.example', 'g.example'),
      id: fc.constantFrom(`b_${domain[0]}`, `b_${domain[0]}`, `b_${domain[0]}`, 'other'),
      owns: fc.constantFrom([], [domain], [...leaves]),
      declares: fc.subarray(agents, { maxLength: 1 }),
      type: fc.constantFrom('sales', 'brand'),
    })
    .map(({ name, house, id, owns, declares, type }) => ({
      id,
      names: [{ en: name }],
      properties: owned(owns),
      agents: declares.map(url => ({ type, url, id: type })),
      ...(house === undefined ? {} : { house_domain: house }),
    }))

const portfolio = (domain: string) =>
  fc
    .record({
      name: brandName,
      house: fc.constantFrom(...Array(6).fill(domain), ...houses),
      inline: fc.constantFrom(
        [],
        [domain],
        [domain],
        [...leaves],
        [...brandDomains],
        [domain, 'e.example'],
      ),
      refs: fc.subarray([...savedDomains], { minLength: 1 }),
      since: fc.array(optional(moment), { minLength: 3, maxLength: 3 }),
    })
    .map(({ name, house, inline, refs, since }) => ({
      house: { domain: house, name: `House ${name}` },
      brands: inline.map(brand => ({
        id: `b_${brand[0]}`,
        names: [{ en: `${name} of ${brand}` }],
        properties: owned([brand]),
        ...(brand === house ? { keller_type: 'master' } : {}),
      })),
      brand_refs: refs.map((leaf, i) => ({
        domain: leaf,
        brand_id: `b_${leaf[0]}`,
        ...(since[i] === undefined ? {} : { effective_at: since[i] }),
      })),
    }))

const brandPointer = fc
  .constantFrom(
    otherLocations['brand.json'],
    ...brandDomains.map(domain => `https://${domain}/.well-known/brand.json`),
  )
  .map(authoritative_location => ({ authoritative_location }))

const brandAgent = fc.constant({ brand_agent: { url: agents[0]!, id: 'brand' } })

/** Draws the tools that a live agent lists. */
const probe = () =>
  fc.subarray(['get_products', 'create_media_buy', 'build_creative']).map(names => ({
    tools: names.map(name => ({ name })),
  }))

const adsTxt = (domain: string) =>
  fc
    .constantFrom('m.example', 'm.example', 'm.example', 'a.example', domain)
    .map(manager => `managerdomain=${manager}\n`)

/** Arbitrary files of each kind; common shapes are more frequent. */
export const contents = {
  'adagents.json': (location: string) =>
    fc.oneof({ weight: 5, arbitrary: inventoryAt(location) }, { weight: 2, arbitrary: pointer }),
  'brand.json': (location: string) => {
    const domain = location.includes('://') ? houses[0] : location
    const isHouse = (houses as readonly string[]).includes(domain)
    return fc.oneof(
      { weight: isHouse ? 2 : 6, arbitrary: leafFile(domain) },
      { weight: isHouse ? 6 : 2, arbitrary: portfolio(domain) },
      { weight: 2, arbitrary: brandDomain.map(house => ({ house })) },
      { weight: 1, arbitrary: brandPointer },
      { weight: 1, arbitrary: brandAgent },
    )
  },
  'ads.txt': adsTxt,
  agent: probe,
} satisfies Record<string, (location: string) => fc.Arbitrary<object | string>>
