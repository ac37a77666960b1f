import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AdagentsConfig, createAdagents } from '../../../api/inputs/create-adagents.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import {
  authorizationTypes,
  channels,
  delegationTypes,
  identifierTypes,
  propertyTypes,
} from '../../../pipeline/model/documents/index.ts'
import { checkAdagents } from '../../../pipeline/parse/check-adagents.ts'
import { loadSchema } from '../../support/checks/schemas.ts'

const now = Date.parse('2026-11-20T03:00:00Z')

/** Draws a sound value nearly always, an odd text sometimes, and anything rarely. */
const or = (sound: fc.Arbitrary<unknown>, ...odd: string[]) =>
  fc.oneof(
    { weight: 600, arbitrary: sound },
    ...odd.map(oddValue => ({ weight: 2, arbitrary: fc.constant(oddValue) })),
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  )
const drawSound = (...sound: string[]) => fc.constantFrom(...sound)
const some = (arbitrary: fc.Arbitrary<unknown>) =>
  or(
    fc.oneof(
      {
        weight: 30,
        arbitrary: fc.uniqueArray(arbitrary, {
          minLength: 1,
          maxLength: 3,
          selector: value => JSON.stringify(value),
        }),
      },
      { weight: 1, arbitrary: fc.array(arbitrary, { maxLength: 3 }) },
    ),
  )
const slug = or(drawSound('news', 'sports', 'a_1'), 'Bad-One', ' news')
const text = or(drawSound('Acme', 'All there is'), '', ' x ')
const moment = or(
  drawSound('2026-01-31T09:00:00Z', '2027-01-31T09:00:00+02:00'),
  ...['2026-01-31', '2026-01-31 09:00:00Z', 'soon'],
)
const domain = or(
  drawSound('acme.example', 'news.acme.example'),
  'ACME.example',
  'https://acme.example',
)
const part = (
  required: Record<string, fc.Arbitrary<unknown>>,
  more: Record<string, fc.Arbitrary<unknown>>,
) => fc.record({ ...required, ...more }, { requiredKeys: Object.keys(required) })

const identifier = or(part({ type: or(fc.constantFrom(...identifierTypes)), value: domain }, {}))
const property = or(
  part(
    {
      property_type: or(fc.constantFrom(...propertyTypes)),
      name: text,
      identifiers: some(identifier),
    },
    {
      property_id: slug,
      tags: some(slug),
      supported_channels: some(fc.constantFrom(...channels)),
      publisher_domain: domain,
    },
  ),
)
const key = or(part({ kid: text, kty: text }, { alg: text, x: text, revoked_at: moment }))
const selector = or(
  part(
    {
      publisher_domain: domain,
      selection_type: or(drawSound('all', 'by_id', 'by_tag')),
      property_ids: some(slug),
      property_tags: some(slug),
    },
    {},
  ),
)
const companions = {
  property_ids: some(slug),
  property_tags: some(slug),
  properties: some(property),
  publisher_properties: some(selector),
  signal_ids: some(slug),
  signal_tags: some(slug),
}
const restrictions = {
  collections: some(or(part({ publisher_domain: domain, collection_ids: some(slug) }, {}))),
  placement_ids: some(slug),
  placement_tags: some(slug),
  delegation_type: or(drawSound(...delegationTypes)),
  exclusive: or(fc.boolean()),
  countries: some(or(drawSound('GB', 'DE'), 'gb')),
  effective_from: moment,
  signing_keys: some(key),
}
const address = or(
  drawSound('https://agent.example/mcp', 'https://b.example'),
  ...['http://c.example', 'https://b\u00fccher.example', 'x'],
)
const agent = or(
  drawSound(...authorizationTypes).chain(type =>
    part(
      {
        url: address,
        authorized_for: text,
        authorization_type: or(fc.constant(type)),
        [type === 'inline_properties' ? 'properties' : type]:
          companions[type === 'inline_properties' ? 'properties' : (type as 'property_ids')],
      },
      restrictions,
    ),
  ),
)
const placement = or(
  part(
    { placement_id: slug, name: text, property_ids: some(slug) },
    { tags: some(slug), property_tags: some(slug), collection_ids: some(slug) },
  ),
)
const tags = or(
  fc.dictionary(fc.constantFrom('news', 'a_1'), part({ name: text }, { description: text })),
)
const config = part(
  {
    authorized_agents: fc.array(agent, { minLength: 1, maxLength: 3 }),
    properties: some(property),
  },
  { placements: some(placement), placement_tags: tags, tags, catalog_etag: text },
)

test('a created file is valid, for the registry and by the public schema', () => {
  const isSound = loadSchema('adagents.json')
  let made = 0
  fc.assert(
    fc.property(config, file => {
      const asked = { ...file, include_schema: true, include_timestamp: true } as AdagentsConfig
      let text: string
      try {
        text = createAdagents(asked, now).text
      } catch (error) {
        expect(error).toBeInstanceOf(PublicError)
        return
      }
      made += 1
      const { faults } = checkAdagents(Buffer.from(text), 'acme.example', { now, maxFaults: 500 })
      const wrong = faults.filter(
        ({ severity, code }) => severity === 'error' && code !== 'foreign_host',
      )
      expect(wrong).toEqual([])
      expect(isSound(JSON.parse(text)), `${text} ${JSON.stringify(isSound.errors)}`).toBe(true)
    }),
    { numRuns: 4_000, seed: 20_261_120 },
  )
  expect(made).toBeGreaterThan(200)
})
