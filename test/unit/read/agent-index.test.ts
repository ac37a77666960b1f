import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentIndex, Dimension } from '../../../pipeline/read/queries/agent-index.ts'
import { type AgentQuery, searchAgents } from '../../../pipeline/read/queries/agent-search.ts'
import { readAgentIndex } from '../../../pipeline/read/queries/read-agent-index.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../../pipeline/store/columnar/schema.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { insertRows } from '../../support/registry/published-tables.ts'
import { cleanUp } from '../../support/registry/registry.ts'

const AT = '2026-11-20T03:00:00.000Z'
const AGENTS = 300

/** Writes a file of agents that differ in all that search shows; some names are long or not ASCII. */
async function writeAgents(): Promise<string> {
  const folder = makeTemporaryFolder()
  cleanUp(() => folder.remove())
  const file = join(folder.path, 'index.duckdb')
  const db = await Database.open(file)
  await createTables(db)
  const stamp = { changed_at: AT, seq: 1 }
  const numbers = Array.from({ length: AGENTS }, (_, n) => n)
  await insertRows(
    db,
    'agents',
    numbers.map(n => ({
      agent_url: `https://a${n}.example/mcp`,
      publisher_count: n % 5,
      property_count: n % 17,
      property_types: ['website'],
      channels: n % 2 === 0 ? ['display'] : ['video', 'display'],
      tags: Array.from({ length: n % 4 }, (_, tag) => `tag${(tag * n) % 50}`),
      markets: ['DE'],
      discovered_at: AT,
      ...stamp,
    })),
  )
  await insertRows(
    db,
    'agent_profiles',
    numbers.map(n => ({
      agent_url: `https://a${n}.example/mcp`,
      name: n % 3 === 0 ? `Ägent ${'ö'.repeat(7_000)}` : null,
      type: n % 2 === 0 ? 'sales' : 'creative',
      protocols: [],
      tools_count: 0,
      channels: [],
      markets: [],
      has_tmp: n % 7 === 0,
      needs_auth: false,
      ...stamp,
    })),
  )
  db.close()
  return file
}

function answer(agents: AgentIndex, asked: Partial<AgentQuery> = {}): string {
  const all = { filters: new Map(), minProperties: 0, limit: AGENTS, maxBytes: 1e8 }
  const page = searchAgents(agents, { ...all, formatCursor: ({ url }) => url, ...asked })
  const text = page.body.toString()
  page.release()
  return text
}

test('agents loaded by a thread are found and shown like those loaded here', async () => {
  const file = await writeAgents()
  const here = await readAgentIndex(file)
  const there = await readAgentIndex(file, undefined, 0)
  const filters = new Map<Dimension, string[]>([['tags', ['tag0', 'tag6']]])
  const questions = [{}, { filters }, { type: 'sales' }, { hasTmp: true }, { maxBytes: 40_000 }]
  for (const asked of questions) expect(answer(there, asked)).toBe(answer(here, asked))
  expect(JSON.parse(answer(there)).results).toHaveLength(AGENTS)
  expect(await readAgentIndex(file, there, 0)).toBe(there)
})

test('an agent has its inventory at the top level and again as its profile', async () => {
  const { results } = JSON.parse(answer(await readAgentIndex(await writeAgents())))
  for (const { inventory_profile, format_ids, ...agent } of results) {
    const { format_ids: ids, ...inventory } = inventory_profile
    expect(agent).toMatchObject(inventory)
    expect(ids).toEqual(format_ids)
  }
})

test('a thread that cannot load the agents reports why', async () => {
  const file = await writeAgents()
  const db = await Database.open(file)
  await db.run('drop table agent_profiles; create table agent_profiles (agent_url varchar)')
  db.close()
  await expect(readAgentIndex(file, undefined, 0)).rejects.toThrow('Referenced column')
})
