import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildHostedProperties } from '../../../pipeline/diff/hosted.ts'
import { propertyTypes } from '../../../pipeline/model/documents/vocabulary.ts'
import { BrandManifest, BrandName, SavedProperty } from '../../../pipeline/model/save.ts'
import { checkBrand } from '../../../pipeline/parse/brand-json.ts'
import { checkAdagents } from '../../../pipeline/parse/check-adagents.ts'
import {
  buildHostedAdagents,
  buildHostedAdagentsFile,
} from '../../../pipeline/resolve/hosted-adagents.ts'
import { buildHostedBrand } from '../../../pipeline/resolve/hosted-brand.ts'
import { loadSchema } from '../../support/checks/schemas.ts'

const domain = 'acme.example'
const now = Date.parse('2026-11-20T03:00:00Z')
const updated_at = '2026-11-20T03:00:00Z'
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('Ä b', ' x ', 'a_1'),
)
const host = fc.constantFrom(
  ...['acme.example', 'www.acme.example', '*.acme.example', 'ACME.example', 'x.example'],
  ...['https://acme.example/', 'acme.example.', 'bücher.acme.example'],
)
const property = fc.record(
  {
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...propertyTypes) },
      { weight: 1, arbitrary: odd },
    ),
    name: fc.oneof(fc.constantFrom('Acme', 'Shop'), odd),
    id: fc.oneof(fc.constantFrom('site', 'shop'), odd),
    tags: fc.array(fc.oneof(fc.constantFrom('news', 'sport'), odd), { maxLength: 4 }),
    identifiers: fc.array(
      fc.record({
        type: fc.constantFrom('domain', 'subdomain', 'ios_bundle', 'rss_url'),
        value: fc.oneof({ weight: 4, arbitrary: host }, { weight: 1, arbitrary: odd }),
      }),
      { maxLength: 4 },
    ),
  },
  { requiredKeys: ['type', 'name'] },
)
const contact = fc.option(
  fc.record({ name: odd, email: fc.oneof(odd, fc.constant('ada@acme.example')) }),
  { nil: undefined },
)

test('any saved properties give a valid adagents.json that reads back as meant', () => {
  const isSound = loadSchema('adagents.json')
  const somebody = {
    url: 'https://agent.example/mcp',
    authorized_for: 'all',
    property_tags: ['all'],
    authorization_type: 'property_tags',
  }
  let made = 0
  let minted = 0
  const mint = () => {
    minted += 1
    return `01939f00-0000-7000-8000-${String(minted).padStart(12, '0')}`
  }
  fc.assert(
    fc.property(fc.array(property, { maxLength: 6 }), contact, (given, whom) => {
      const saved = given.flatMap(property => SavedProperty.safeParse(property).data ?? [])
      const properties = buildHostedProperties(saved, { domain, before: [], records: [] }, mint)
      const document = buildHostedAdagents({ domain, properties, updated_at })
      const file = buildHostedAdagentsFile(document, whom)
      if (file === undefined) return void expect(document.properties).toEqual([])
      made += 1
      const bytes = Buffer.from(JSON.stringify(file))
      const read = checkAdagents(bytes, undefined, { now, maxFaults: 100 })
      expect(read.faults.filter(({ severity }) => severity === 'error')).toEqual([])
      expect({ ...read.document, fields: {} }).toEqual(document)
      const sold = { ...file, authorized_agents: [somebody] }
      expect(isSound(sold), `${JSON.stringify(file)} ${JSON.stringify(isSound.errors)}`).toBe(true)
    }),
    { numRuns: 3_000, seed: 20_261_120 },
  )
  expect(made).toBeGreaterThan(500)
})

test.each([
  ['acme.example', 'acme.example'],
  ['Acme.Example', 'acme.example'],
  ['https://www.acme.example/', 'www.acme.example'],
  ['acme.example.', 'acme.example'],
  ['HTTP://acme.example/news?a=1', 'acme.example'],
  ['Bücher.acme.example', 'xn--bcher-kva.acme.example'],
  ['*.ACME.example', '*.acme.example'],
])('a property named by %s is hosted as %s', (value, host) => {
  const spelled = [{ type: 'domain', value }]
  const saved = { name: 'Acme', property_type: 'website', tags: [], property_rid: '' }
  const properties = [{ ...saved, identifiers: [...spelled, { type: 'domain', value: host }] }]
  const { properties: hosted } = buildHostedAdagents({ domain, properties, updated_at })
  expect(hosted.map(({ identifiers }) => identifiers)).toEqual([[{ type: 'domain', value: host }]])
})

test('saved properties have identifiers, and keep their rids when they are renamed', () => {
  const types = fc.uniqueArray(fc.constantFrom(...propertyTypes), { minLength: 1, maxLength: 5 })
  const whole = fc.array(property, { maxLength: 4 })
  let minted = 0
  const mint = () => `01939f00-0000-7000-8000-${String(minted++).padStart(12, '0')}`
  fc.assert(
    fc.property(
      types,
      whole,
      odd.filter(name => BrandName.safeParse(name).success),
      (bare, given, name) => {
        const listed = given.flatMap(property => SavedProperty.safeParse(property).data ?? [])
        const named = bare.map(type => SavedProperty.parse({ type, name: type }))
        const first = buildHostedProperties(
          [...listed, ...named],
          { domain, before: [], records: [] },
          mint,
        )
        expect(first.every(({ identifiers }) => identifiers.length > 0)).toBe(true)
        const again = buildHostedProperties(
          [...listed, ...named],
          { domain, before: first, records: [] },
          mint,
        )
        expect(again).toEqual(first)
        const alone = buildHostedProperties(named, { domain, before: [], records: [] }, mint)
        const renamed = named.map(saved => ({ ...saved, name }))
        const after = buildHostedProperties(renamed, { domain, before: alone, records: [] }, mint)
        expect(after.map(({ property_rid }) => property_rid)).toEqual(
          alone.map(({ property_rid }) => property_rid),
        )
      },
    ),
    { numRuns: 500, seed: 20_261_121 },
  )
})

const logo = fc.record({ url: fc.oneof(fc.webUrl(), odd), tags: fc.array(odd, { maxLength: 3 }) })
const manifest = fc.record(
  {
    description: fc.oneof(odd, fc.jsonValue({ maxDepth: 1 })),
    tagline: fc.oneof(odd, fc.jsonValue({ maxDepth: 1 })),
    industries: fc.oneof(fc.array(odd, { maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })),
    logos: fc.oneof(fc.array(logo, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 })),
    colors: fc.oneof(
      fc.array(fc.record({ hex: fc.constantFrom('#102030', 'red'), type: odd }), { maxLength: 4 }),
      fc.dictionary(odd, fc.constantFrom('#102030', '#fff', 'red')),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    whatever: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
)

test('any saved brand gives a valid brand.json that reads back as meant', () => {
  const isSound = loadSchema('brand.json')
  fc.assert(
    fc.property(fc.oneof(fc.constant('Acme'), odd), manifest, (given, told_of_it) => {
      const brand_manifest = BrandManifest.safeParse(told_of_it).data ?? {}
      const brand_name = BrandName.safeParse(given).data ?? null
      const saved = { domain, brand_name, document: { brand_manifest }, updated_at }
      const { file, document } = buildHostedBrand(saved)
      const read = checkBrand(Buffer.from(JSON.stringify(file)), { maxFaults: 100 })
      expect(read.faults.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(read.document).toEqual(document)
      expect(isSound(file), `${JSON.stringify(file)} ${JSON.stringify(isSound.errors)}`).toBe(true)
    }),
    { numRuns: 3_000, seed: 20_261_120 },
  )
})
