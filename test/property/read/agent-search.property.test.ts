import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentIndex, Dimension } from '../../../pipeline/read/queries/agent-index.ts'
import { updateAgentIndex } from '../../../pipeline/read/queries/agent-index-builder.ts'
import { type SearchPosition, searchAgents } from '../../../pipeline/read/queries/agent-search.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { limitTime } from '../../support/checks/time-limit.ts'
import { insertRows } from '../../support/registry/published-tables.ts'

const AT = '2026-11-20T03:00:00.000Z'

let db: Database
let seq = 0

beforeAll(async () => {
  db = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1 })
  await createTables(db)
})

afterAll(() => db.close())

const values = ['a', 'b', 'c'] as const
const some = fc.subarray([...values])

/** Few counts among many agents: most of them share their score with others. */
const agents = fc.array(
  fc.record({
    property_count: fc.constantFrom(0, 1, 7),
    channels: some,
    tags: some,
    has_tmp: fc.boolean(),
    type: fc.constantFrom('sales', 'creative'),
  }),
  { maxLength: 120, size: 'max' },
)
type Agent = typeof agents extends fc.Arbitrary<(infer One)[]> ? One & { url: string } : never

const question = fc.record({
  channels: some,
  tags: some,
  hasTmp: fc.option(fc.boolean(), { nil: undefined }),
  type: fc.option(fc.constantFrom('sales', 'creative'), { nil: undefined }),
  minProperties: fc.constantFrom(0, 0, 1, 2),
  limit: fc.integer({ min: 1, max: 9 }),
})
type Question = typeof question extends fc.Arbitrary<infer One> ? One : never

async function buildIndex(all: readonly Agent[], before?: AgentIndex): Promise<AgentIndex> {
  await db.run('delete from agents')
  await db.run('delete from agent_profiles')
  seq += 1
  const stamp = { discovered_at: AT, changed_at: AT, seq }
  await insertRows(
    db,
    'agents',
    all.map(({ url, property_count, channels, tags }) => ({
      agent_url: url,
      publisher_count: 1,
      property_count,
      channels,
      tags,
      property_types: [],
      markets: [],
      ...stamp,
    })),
  )
  await insertRows(
    db,
    'agent_profiles',
    all.map(({ url, has_tmp, type }) => ({
      agent_url: url,
      name: null,
      type,
      protocols: [],
      tools_count: 0,
      channels: [],
      markets: [],
      has_tmp,
      needs_auth: false,
      changed_at: AT,
      seq,
    })),
  )
  return updateAgentIndex(db, before)
}

const plain = {
  property_count: 1 as const,
  channels: [],
  tags: [],
  has_tmp: false,
  type: 'sales' as const,
}
const everything = {
  filters: new Map(),
  limit: 200,
  maxBytes: 1e6,
  formatCursor: ({ url }: SearchPosition) => url,
}

/** Searches by looking at every agent. */
function searchByScan(all: readonly Agent[], asked: Question): string[] {
  const isAny = (wanted: readonly string[], has: readonly string[]) =>
    wanted.length === 0 || wanted.some(value => has.includes(value))
  const wanted = asked.channels.length + asked.tags.length
  const countHeld = ({ channels, tags }: Agent) =>
    asked.channels.filter(value => channels.includes(value)).length +
    asked.tags.filter(value => tags.includes(value)).length
  const computeScore = (agent: Agent) =>
    Math.round(
      1e9 *
        ((wanted === 0 ? 0 : countHeld(agent) / wanted) +
          0.1 * Math.log(agent.property_count + 1) +
          (agent.has_tmp ? 0.05 : 0)),
    )
  return all
    .filter(
      agent =>
        isAny(asked.channels, agent.channels) &&
        isAny(asked.tags, agent.tags) &&
        (asked.hasTmp === undefined || agent.has_tmp === asked.hasTmp) &&
        (asked.type === undefined || agent.type === asked.type) &&
        agent.property_count >= asked.minProperties,
    )
    .sort((a, b) => computeScore(b) - computeScore(a) || (a.url < b.url ? -1 : 1))
    .map(({ url }) => url)
}

function listPages(index: AgentIndex, { channels, tags, ...asked }: Question): string[][] {
  const filters = new Map<Dimension, string[]>()
  if (channels.length > 0) filters.set('channels', channels)
  if (tags.length > 0) filters.set('tags', tags)
  const pages: string[][] = []
  let after: SearchPosition | undefined
  for (;;) {
    let next: SearchPosition | undefined
    const formatCursor = (place: SearchPosition) => {
      next = place
      return place.url
    }
    const page = searchAgents(index, {
      ...asked,
      filters,
      after,
      maxBytes: 1e6,
      formatCursor,
    })
    const { results, has_more } = JSON.parse(page.body.toString())
    pages.push(results.map(({ url }: { url: string }) => url))
    if (!has_more) return pages
    after = next
  }
}

const named = (drawn: readonly Omit<Agent, 'url'>[]): Agent[] =>
  drawn.map((agent, i) => ({ ...agent, url: `https://${(i * 37) % 101}.example/${i}` }))

describe('the pages of a search', () => {
  it('have each matching agent once, the most relevant first', async () => {
    await fc.assert(
      fc.asyncProperty(
        agents,
        fc.array(question, { minLength: 1, maxLength: 8 }),
        limitTime(20, async (drawn, questions) => {
          const all = named(drawn)
          const index = await buildIndex(all)
          for (const asked of questions) {
            const pages = listPages(index, asked)
            expect(pages.flat()).toEqual(searchByScan(all, asked))
            for (const page of pages.slice(0, -1)) expect(page).toHaveLength(asked.limit)
          }
        }),
      ),
      { numRuns: 60 },
    )
  })

  it('show the agents as they are now, however many one commit has changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('agents', 'agent_profiles'),
        limitTime(10, async (touched, table) => {
          const all = named(touched.map(() => plain))
          const before = await buildIndex(all)
          seq += 1
          const urls = all.flatMap(({ url }, i) => (touched[i] ? [url] : []))
          const changed = table === 'agents' ? 'property_count = 9' : 'has_tmp = true'
          await db.run(
            `update ${table} set ${changed}, seq = ${seq}
             where agent_url in (select unnest(from_json($urls, '["VARCHAR"]')))`,
            { urls: JSON.stringify(urls) },
          )
          const after = await updateAgentIndex(db, before)
          const found = searchAgents(after, { ...everything, minProperties: 0 })
          const counted = JSON.parse(found.body.toString()).results.filter(
            (result: { property_count: number; has_tmp: boolean }) =>
              result.property_count === 9 || result.has_tmp,
          )
          expect(counted).toHaveLength(urls.length)
        }),
      ),
      { numRuns: 30 },
    )
  })

  it('show the agents as they are now, whatever was cached of the snapshot before', async () => {
    const every: Question = {
      channels: [],
      tags: [],
      hasTmp: undefined,
      type: undefined,
      minProperties: 0,
      limit: 9,
    }
    await fc.assert(
      fc.asyncProperty(
        agents,
        agents,
        limitTime(10, async (first, second) => {
          const before = await buildIndex(named(first))
          expect(await updateAgentIndex(db, before)).toBe(before)
          const after = named(second).slice(1)
          expect(listPages(await buildIndex(after, before), every).flat()).toEqual(
            searchByScan(after, every),
          )
        }),
      ),
      { numRuns: 20 },
    )
  })
})
