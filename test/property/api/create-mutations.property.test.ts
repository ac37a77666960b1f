import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AdagentsConfig, createAdagents } from '../../../api/inputs/create-adagents.ts'
import { PublicError } from '../../../pipeline/core/errors.ts'
import { loadSchema } from '../../support/checks/schemas.ts'

const now = Date.parse('2026-11-20T03:00:00Z')
const agent = { url: 'https://agent.example/mcp', authorized_for: 'display' }
const key = { kid: 'a', kty: 'OKP', alg: 'EdDSA', crv: 'Ed25519', x: 'abc', use: 'sig' }

/** Sound, with something of everything that a file may hold. */
const whole = {
  contact: {
    name: 'Acme',
    email: 'ads@acme.example',
    domain: 'acme.example',
    seller_id: 's-1',
    tag_id: 't-1',
    privacy_policy_url: 'https://acme.example/privacy',
  },
  authorized_agents: [
    {
      ...agent,
      authorization_type: 'property_ids',
      property_ids: ['site'],
      placement_ids: ['top'],
      placement_tags: ['above'],
      delegation_type: 'direct',
      exclusive: false,
      countries: ['GB'],
      effective_from: '2026-01-31T09:00:00Z',
      signing_keys: [key],
      collections: [{ publisher_domain: 'acme.example', collection_ids: ['show'] }],
    },
    {
      url: 'https://other.example/mcp',
      authorized_for: 'signals',
      authorization_type: 'signal_ids',
      signal_ids: ['likely'],
      encryption_keys: [{ kid: 'e', kty: 'OKP', crv: 'X25519', use: 'enc', x: 'abc' }],
    },
    {
      url: 'https://third.example/mcp',
      authorized_for: 'network',
      authorization_type: 'publisher_properties',
      publisher_properties: [
        { publisher_domain: 'news.example', selection_type: 'by_id', property_ids: ['home'] },
      ],
    },
  ],
  properties: [
    {
      property_type: 'website',
      name: 'Site',
      property_id: 'site',
      tags: ['news'],
      supported_channels: ['display'],
      publisher_domain: 'acme.example',
      identifiers: [{ type: 'domain', value: 'acme.example' }],
    },
  ],
  collections: [
    {
      collection_id: 'show',
      name: 'Show',
      kind: 'series',
      genre: ['talk'],
      language: 'en',
      description: 'A show',
      cadence: 'weekly',
      status: 'active',
      content_rating: { system: 'podcast', rating: 'clean' },
      talent: [{ role: 'host', name: 'Jo' }],
      special: { name: 'Gala', category: 'gala', starts: '2026-01-31T09:00:00Z' },
      limited_series: { total_installments: 3 },
      distribution: [
        { publisher_domain: 'acme.example', identifiers: [{ type: 'rss_url', value: 'x' }] },
      ],
      deadline_policy: { booking_lead_days: 2, material_stages: [{ stage: 'a', lead_days: 1 }] },
      related_collections: [{ collection_id: 'other', relationship: 'sequel' }],
    },
  ],
  placements: [
    {
      placement_id: 'top',
      name: 'Top',
      description: 'Above',
      tags: ['above'],
      property_ids: ['site'],
      collection_ids: ['show'],
      format_ids: [{ agent_url: 'https://c.example', id: 'banner', width: 1, height: 2 }],
    },
  ],
  formats: [
    {
      format_kind: 'image',
      format_option_id: 'banner',
      display_name: 'Banner',
      params: { width: 300 },
      applies_to_property_ids: ['site'],
    },
  ],
  signals: [
    {
      id: 'likely',
      name: 'Likely',
      value_type: 'numeric',
      description: 'How likely',
      tags: ['auto'],
      range: { min: 0, max: 1, unit: 'x' },
      restricted_attributes: ['age'],
      policy_categories: ['x'],
      allowed_values: ['a'],
    },
  ],
  tags: { news: { name: 'News', description: 'All of it' } },
  placement_tags: { above: { name: 'Above', description: 'the fold' } },
  signal_tags: { auto: { name: 'Auto', description: 'Cars' } },
  property_features: [
    { url: 'https://g.example', name: 'G', features: ['carbon'], publisher_id: 'p' },
  ],
  revoked_publisher_domains: [],
}

type Path = (string | number)[]

/** Lists the paths of a value, members before the value that contains them. */
function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  const within = [...keys].flatMap(key =>
    listPaths((value as Record<string, unknown>)[key as string], [...path, key]),
  )
  return [...within, path]
}

const places = listPaths(whole).filter(path => path.length > 0)
const odd = [
  undefined,
  null,
  '',
  ' ',
  'x y',
  'ÄÖ',
  'UPPER',
  0,
  -1,
  1.5,
  true,
  [],
  {},
  ['a', 'a'],
  [null],
  'https://bücher.example/',
  'not a url',
  '2026-01-31',
  'a@b',
  [{}],
  { a: 1 },
  'x'.repeat(3000),
]

/** Replaces the value at a path of the sound request; undefined removes it. */
function replaceAt(path: Path, value: unknown): unknown {
  const copy = structuredClone(whole)
  let at: Record<string | number, unknown> = copy
  for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>
  const last = path.at(-1)!
  if (value === undefined && !Array.isArray(at)) delete at[last]
  else at[last] = value
  return copy
}

test('a file with a fault anywhere is refused by field, or valid for everybody', () => {
  const isSound = loadSchema('adagents.json')
  const common = { include_schema: true, include_timestamp: true }
  let [made, refused] = [0, 0]
  const check = (config: unknown, what: string) => {
    let text: string
    try {
      text = createAdagents({ ...(config as AdagentsConfig), ...common }, now).text
    } catch (error) {
      expect(error, `${what}: ${(error as Error).stack}`).toBeInstanceOf(PublicError)
      const { errors } = (error as PublicError).fields as { errors: { field: string }[] }
      expect(errors.length).toBeGreaterThan(0)
      for (const { field } of errors) expect(field).not.toBe('')
      refused += 1
      return
    }
    made += 1
    expect(isSound(JSON.parse(text)), `${what} ${JSON.stringify(isSound.errors)}`).toBe(true)
  }
  check(whole, 'the sound one')
  expect([made, refused]).toEqual([1, 0])
  for (const path of places) {
    // A list of agents that is none is refused before it gets there.
    if (path.length === 1 && path[0] === 'authorized_agents') continue
    for (const value of odd)
      check(replaceAt(path, value), `${path.join('.')} = ${JSON.stringify(value)}`)
  }
  fc.assert(
    fc.property(
      fc.constantFrom(...places.filter(path => path.length > 1)),
      fc.jsonValue(),
      (path, value) =>
        check(replaceAt(path, value), `${path.join('.')} = ${JSON.stringify(value)}`),
    ),
    { numRuns: 1_000, seed: 20_261_120 },
  )
  expect(made).toBeGreaterThan(200)
  expect(refused).toBeGreaterThan(1_000)
})
