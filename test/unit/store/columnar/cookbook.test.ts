import { afterAll, beforeAll, expect, test } from 'vitest'
import { listExampleQueries } from '../../../../api/pages/cookbook.ts'
import type { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { listViews } from '../../../../pipeline/store/columnar/view-files.ts'
import { listPublishedTables } from '../../../../pipeline/store/table-files.ts'
import { observeFile } from '../../../support/fixtures/observations.ts'
import { buildOperatorFile } from '../../../support/fixtures/operator-files.ts'
import {
  type MemoryIndex,
  openMemoryIndex,
  withIndex,
} from '../../../support/registry/memory-index.ts'
import {
  commitTwoNights,
  FIRST_NIGHT,
  NETWORK,
  SALES,
} from '../../../support/worlds/analyst-world.ts'
import { testClock } from '../../../support/worlds/clock.ts'

let index: MemoryIndex
let db: Database

const SIGNALS = 'https://signals.example/mcp'
/** A publisher that grants a page exclusively and yet to another, for a placement; and signals to a third. */
const journal = {
  properties: [
    {
      property_id: 'front',
      property_type: 'website',
      name: 'Front page',
      identifiers: [{ type: 'domain', value: 'journal.example' }],
      tags: ['front'],
    },
  ],
  placements: [{ placement_id: 'top', name: 'Top', property_ids: ['front'] }],
  signals: [{ id: 'readers', name: 'Readers', value_type: 'binary', tags: ['people'] }],
  authorized_agents: [
    {
      url: SALES,
      authorized_for: 'Sales',
      authorization_type: 'property_ids',
      property_ids: ['front'],
      exclusive: true,
      countries: ['AT'],
    },
    {
      url: NETWORK,
      authorized_for: 'Sales',
      authorization_type: 'property_ids',
      property_ids: ['front'],
      placement_ids: ['top'],
    },
    {
      url: SIGNALS,
      authorized_for: 'Signals',
      authorization_type: 'signal_ids',
      signal_ids: ['readers'],
    },
  ],
}

const claim = buildOperatorFile(
  [NETWORK],
  [
    { identifier: 'blog.example', relationship: 'delegated' },
    { identifier: 'journal.example', relationship: 'owned' },
  ],
)

beforeAll(async () => {
  const clock = testClock(FIRST_NIGHT)
  index = await openMemoryIndex(clock)
  await commitTwoNights(observations => index.commit(observations), clock)
  await index.commit([
    observeFile('adagents.json', 'journal.example', journal, clock.now()),
    observeFile('brand.json', 'faulty.example', { id: 7, names: 'Faulty' }, clock.now()),
    // The network claims a site that another publisher only lets it sell.
    observeFile('brand.json', 'network.example', claim, clock.now()),
  ])
  await index.db.run('update meta set format = 1, fence = 1, seq = 3, committed_at = $now', {
    now: clock.now(),
  })
  db = await index.publish()
})

afterAll(() => index.close())

/** Asks a question of the cookbook; rows are lines, with - for null and lists by commas. */
async function ask(start: string): Promise<string[]> {
  const { sql } = listExampleQueries().find(({ question }) => question.startsWith(start))!
  const rows = await db.all<Record<string, unknown>>(sql)
  return rows.map(row =>
    Object.values(row)
      .map(value => (value === null ? '-' : String(value)))
      .join(' '),
  )
}

test('the cookbook answers twenty-one questions, each stated in its first line', async () => {
  const queries = listExampleQueries()
  expect(queries).toHaveLength(21)
  for (const { question, sql } of queries) {
    expect(question).toMatch(/^[A-Z].*\?$/)
    expect([question, await db.all(sql)]).not.toEqual([question, []])
  }
})

test.each(['Asia/Tokyo', 'America/Los_Angeles'])(
  'every example query, table, view and authorized_on answers the same in a session in %s as in UTC',
  async zone => {
    const relations = [...listPublishedTables().map(({ name }) => name), ...listViews()]
    const moments = ['2026-11-21', '2026-11-20 12:00', '2026-11-21T10:59:00Z']
    const questions = [
      ...listExampleQueries().map(({ sql }) => sql),
      ...relations.map(name => `from ${name} order by all`),
      ...moments.map(moment => `from authorized_on('${moment}') order by all`),
    ]
    for (const sql of questions) {
      const inUtc = await db.all(sql)
      await db.run(`set TimeZone = '${zone}'`)
      try {
        expect([sql, await db.all(sql)]).toEqual([sql, inUtc])
      } finally {
        await db.run("set TimeZone = 'UTC'")
      }
    }
  },
)

test('overlap counts publishers that two agents share, and the part they are of the first', async () => {
  expect(await ask('Which agents reach the same')).toEqual([
    `${SIGNALS} ${NETWORK} 1 100`,
    `${SIGNALS} ${SALES} 1 100`,
    `${NETWORK} ${SALES} 1 50`,
    `${NETWORK} ${SIGNALS} 1 50`,
    `${SALES} ${NETWORK} 1 50`,
    `${SALES} ${SIGNALS} 1 50`,
  ])
})

test('agents are listed with the publishers that they lost, and a first sight of a publisher is no gain', async () => {
  expect(await ask('Which agents won and lost')).toEqual([`${NETWORK} 1 0 news.example`])
})

test('an agent that lost a publisher long ago has won it when it is granted again', async () => {
  const clock = testClock(FIRST_NIGHT)
  await withIndex(clock, async again => {
    const nights = [SALES, NETWORK, SALES].map(url => ({
      ...journal,
      authorized_agents: [{ ...journal.authorized_agents[0], url }],
    }))
    for (const file of nights) {
      clock.tick({ days: 10 })
      await again.commit([observeFile('adagents.json', 'journal.example', file, clock.now())])
    }
    await again.db.run('update meta set format = 1, fence = 1, seq = 3, committed_at = $now', {
      now: clock.now(),
    })
    const columnar = await again.publish()
    const { sql } = listExampleQueries().find(({ question }) => question.includes('won and lost'))!
    const rows = await columnar.all<{ agent_url: string; lost: number; won: number }>(sql)
    expect(rows.map(({ agent_url, lost, won }) => [agent_url, lost, won])).toEqual([
      [NETWORK, 1, 0],
      [SALES, 0, 1],
    ])
  })
})

test('attempts are counted by day, kind and outcome', async () => {
  const days = await ask('What were the daily crawl results')
  expect(days.filter(day => /ads.txt/.test(day))).toEqual([])
  expect(days.filter(day => /timeout|server_error/.test(day))).toEqual([
    '2026-11-21T00:00:00.000Z adagents.json timeout 1 16.7',
    '2026-11-20T00:00:00.000Z adagents.json server_error 1 20',
  ])
})

test('inventory that is exclusive to one agent and sold by another is found', async () => {
  expect(await ask('Which properties are granted exclusively')).toEqual([
    `journal.example Front page ${SALES} 2`,
  ])
})

test('claims are counted by what the publisher says instead', async () => {
  expect(await ask('Who claims to sell inventory')).toEqual([
    'network.example manager failing 1 shop.example',
    'network.example manager other_agents 1 news.example',
  ])
})

test('signals, placements and countries are read from the grants that name them', async () => {
  expect(await ask('Which agents can sell publishers’ signals')).toEqual([`${SIGNALS} 1 1 0`])
  expect(await ask('Which agents can sell only some placements')).toEqual([
    `journal.example ${NETWORK} top - 1`,
  ])
  expect(await ask('Which countries')).toEqual(['no limit 3 3', 'AT 1 1'])
})

test('the tree of a house is listed from its top', async () => {
  expect(await ask('Which brands belong to the largest')).toEqual([
    'Group group.example master inline',
    '· News news.example sub_brand inline',
    '· · Sport sport.example sub_brand inline',
  ])
})

test('ways of delegation and supply paths count publishers and agents once', async () => {
  expect(await ask('How do publishers sell')).toEqual([
    'delegated 1 1 1 1',
    'direct 1 1 1 0',
    'not stated 1 3 3 1',
  ])
  expect(await ask('How many hands')).toEqual([
    '1 direct false 1 1',
    '1 not stated false 1 3',
    '2 delegated true 1 1',
  ])
})

test('changes of a publisher are listed with their times', async () => {
  expect(await ask('What changed at the most active publisher')).toEqual([
    'news.example property News for phones 2026-11-21T03:00:00.000Z - true',
    `news.example grant ${NETWORK} 2026-11-20T03:00:00.000Z 2026-11-21T03:00:00.000Z false`,
    `news.example grant ${SALES} 2026-11-20T03:00:00.000Z - true`,
    'news.example property News app 2026-11-20T03:00:00.000Z 2026-11-21T03:00:00.000Z false',
    'news.example property news.example 2026-11-20T03:00:00.000Z - true',
  ])
})
