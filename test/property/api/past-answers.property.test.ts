import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { DAY, HOUR, toIso } from '../../../pipeline/core/clock.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { openRegistry, type TestRegistry } from '../../support/registry/app.ts'

const agents = ['https://one.example/mcp', 'https://two.example/mcp']
const publishers = ['ash.example', 'bay.example', 'elm.example']
const THINGS = 2
const places = publishers.flatMap(domain => [0, 1].map(n => ({ domain, n })))

/** A person merges two properties, or a night brings other files: properties come, go, split and unite. */
type Step =
  | { merge: [alias: number, canonical: number] }
  | { night: { listed: boolean[]; together: boolean[]; absent: boolean[]; swapped: boolean } }

const flags = (length: number) => fc.array(fc.boolean(), { minLength: length, maxLength: length })
const place = fc.constantFrom(0, 2, 4, 4, 5)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ merge: fc.tuple(place, place) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      night: fc.record({
        listed: flags(places.length).map(list => list.map((flag, i) => flag || i % 2 === 0)),
        together: flags(publishers.length),
        absent: flags(publishers.length * 2).map(list => list.map((flag, i) => flag && i > 4)),
        swapped: fc.boolean(),
      }),
    }),
  },
)
const path = fc.array(step, { minLength: 4, maxLength: 4 })

/** Builds the file of a publisher; `together`: one property has the identifiers of both. */
function buildFile(
  domain: string,
  { listed, together, swapped }: { listed: boolean[]; together: boolean; swapped: boolean },
): object {
  const identify = (n: number) => [
    { type: 'domain', value: `thing-${n}.${domain}` },
    { type: 'ios_bundle', value: `app.${n}` },
  ]
  const numbers = together ? [0] : [0, 1].filter(n => listed[n])
  const properties = numbers.map(n => ({
    property_id: `thing_${n}`,
    property_type: 'website',
    name: `Thing ${n}`,
    identifiers: together ? [...identify(0), ...identify(1)] : identify(n),
  }))
  const grant = (url: string, property_ids: string[]) => ({
    url,
    authorized_for: 'All',
    authorization_type: 'property_ids',
    property_ids,
  })
  const [one, two] = (swapped ? [...agents].reverse() : agents) as [string, string]
  return {
    properties,
    authorized_agents: [grant(one, ['thing_0']), grant(two, ['thing_1'])],
  }
}

let registry: TestRegistry
afterEach(() => registry.close())

const stripReadings = (key: string, value: unknown) =>
  ['freshness', 'checked_at', 'generated_at', 'request_id', 'last_verified_at'].includes(key) ||
  key === 'directory_indexed_at'
    ? undefined
    : value

async function ask(path: string, query: Record<string, string>, payload?: object) {
  const url = `${path}?${new URLSearchParams(query)}`
  const { statusCode, body } = payload
    ? await registry.app.inject({ method: 'POST', url, payload })
    : await registry.app.inject(url)
  return { path, query, payload, status: statusCode, body: JSON.parse(body, stripReadings) }
}

const identifiers = [
  ...publishers.map(domain => ({ type: 'domain', value: `thing-0.${domain}` })),
  ...Array.from({ length: THINGS }, (_, n) => ({ type: 'ios_bundle', value: `app.${n}` })),
]

/** Asks every lookup about a moment. */
async function askAbout(as_of: string): Promise<Record<string, unknown>> {
  const publisher_properties = publishers.map(publisher_domain => ({ publisher_domain }))
  const ofAgent = (agent: string) => [
    ...identifiers.map(({ type, value }) =>
      ask('/api/registry/validate/property-authorization', {
        agent_url: agent,
        identifier_type: type,
        identifier_value: value,
        as_of,
      }),
    ),
    ...publishers.map(domain =>
      ask('/api/registry/publisher/authorization', { agent, domain, as_of }),
    ),
    ask(`/api/registry/lookup/agent/${encodeURIComponent(agent)}/domains`, { as_of }),
    ask(`/v1/agents/${encodeURIComponent(agent)}/publishers`, { include: 'properties', as_of }),
    ...['validate/product-authorization', 'expand/product-identifiers'].map(name =>
      ask(`/api/registry/${name}`, { as_of }, { agent_url: agent, publisher_properties }),
    ),
  ]
  const answers = await Promise.all([
    ...agents.flatMap(ofAgent),
    ...identifiers.map(({ type, value }) =>
      ask('/api/registry/lookup/property', { type, value, as_of }),
    ),
  ])
  return Object.fromEntries(
    answers.map(({ path: asked, query, payload, status, body }) => [
      JSON.stringify([asked, query, payload]),
      [status, body],
    ]),
  )
}

async function readFiles({ night }: Extract<Step, { night: object }>): Promise<void> {
  registry.clock.tick(DAY)
  const at = registry.clock.now()
  const observations = publishers.map((domain, p) =>
    night.absent[p * 2] || night.absent[p * 2 + 1]
      ? observeOutcome('absent', 'adagents.json', domain, at)
      : observeFile(
          'adagents.json',
          domain,
          buildFile(domain, {
            listed: night.listed.slice(p * 2, p * 2 + 2),
            together: night.together[p]!,
            swapped: night.swapped,
          }),
          at,
        ),
  )
  await registry.observe(...observations)
}

const everything = {
  night: {
    listed: Array(places.length).fill(true),
    together: [false, false, false],
    absent: [],
    swapped: false,
  },
}

async function listRids(): Promise<string[]> {
  const rows = await registry.sequencer.index.all<{ rid: string }>(
    'select property_rid as rid from properties order by publisher_domain, property_id',
  )
  return rows.map(({ rid }) => rid)
}

async function apply(change: Step, rids: readonly string[]): Promise<void> {
  if ('night' in change) return readFiles(change)
  registry.clock.tick(HOUR)
  const [alias_rid, canonical_rid] = change.merge.map(n => rids[n]!) as [string, string]
  await registry.submit({ op: 'property.merge', alias_rid, canonical_rid })
}

/** Applies the steps; after each, every earlier moment must have the answers that it had first. */
async function checkPath(steps: readonly Step[]): Promise<number> {
  registry = await openRegistry()
  const first = new Map<string, Record<string, unknown>>()
  await readFiles(everything)
  const rids = await listRids()
  for (const change of [undefined, ...steps]) {
    if (change !== undefined) await apply(change, rids)
    registry.clock.tick(HOUR)
    await registry.publish()
    for (const [at, answers] of first) {
      expect(await askAbout(at), `${at} after ${JSON.stringify(change)}`).toEqual(answers)
    }
    const now = toIso(registry.clock.now())
    first.set(now, await askAbout(now))
  }
  return new Set([...first.values()].map(answers => JSON.stringify(answers))).size
}

describe('an answer about a moment never changes later', () => {
  test('whatever is merged twice afterwards', async () => {
    await checkPath([{ merge: [0, 2] }, { merge: [2, 4] }, { merge: [5, 4] }])
  })

  test.each(fc.sample(path, { seed: 20261120, numRuns: 1 }))(
    'whatever is merged, split and read afterwards',
    async (...steps) => {
      expect(await checkPath(steps)).toBeGreaterThan(2)
    },
  )
})
