import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAgentUrlKey } from '../../../../pipeline/core/agent-url.ts'
import { parsePastedDomain } from '../../../../pipeline/core/domain.ts'
import { outcomeNames, outcomes } from '../../../../pipeline/core/outcomes.ts'
import { operatorTexts } from '../../../../pipeline/model/operator-side.ts'
import type { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../../../pipeline/store/columnar/schema.ts'
import { listViews } from '../../../../pipeline/store/columnar/view-files.ts'
import { listPublishedTables } from '../../../../pipeline/store/table-files.ts'
import { needsNoun } from '../../../support/checks/vague-texts.ts'
import { observeOutcome } from '../../../support/fixtures/observations.ts'
import { type MemoryIndex, openMemoryIndex } from '../../../support/registry/memory-index.ts'
import {
  commitTwoNights,
  FIRST_NIGHT,
  LATE,
  NETWORK,
  observeFirstNight,
  SALES,
} from '../../../support/worlds/analyst-world.ts'
import { type TestClock, testClock } from '../../../support/worlds/clock.ts'

const SHOP = 'shop.example'
/** After the first night, and after the second. */
const indexes: MemoryIndex[] = []
let first: Database
let second: Database

async function openIndex(live: (index: MemoryIndex, clock: TestClock) => Promise<unknown>) {
  const clock = testClock(FIRST_NIGHT)
  const index = await openMemoryIndex(clock)
  indexes.push(index)
  await live(index, clock)
  await index.db.run('update meta set format = 1, fence = 1, seq = 2, committed_at = $now', {
    now: clock.now(),
  })
  return index.publish()
}

beforeAll(async () => {
  first = await openIndex((index, clock) => index.commit(observeFirstNight(clock.now())))
  second = await openIndex((index, clock) =>
    commitTwoNights(observations => index.commit(observations), clock),
  )
})

afterAll(() => {
  for (const index of indexes) index.close()
})

/** Reads the columns of a view as lines: `a b c`, with - for null and lists by commas. */
async function readLines(db: Database, view: string, columns: string): Promise<string[]> {
  const rows = await db.all<Record<string, unknown>>(
    `select ${columns} from ${view} order by all nulls first`,
  )
  return rows.map(row =>
    Object.values(row)
      .map(value => (value === null ? '-' : String(value)))
      .join(' '),
  )
}

test('grants_flat has a row for each grant in force and property', async () => {
  const columns =
    'publisher_domain, agent_url, property_type, delegation_type, countries, channels, property_status'
  expect(await readLines(first, 'grants_flat', columns)).toEqual([
    `blog.example ${NETWORK} website delegated - display active`,
    `news.example ${NETWORK} website ad_network DE,FR display active`,
    `news.example ${SALES} mobile_app direct - display,olv active`,
    `news.example ${SALES} website direct - display active`,
  ])
  expect(
    await readLines(second, 'grants_flat', 'publisher_domain, agent_url, property_name'),
  ).toEqual([
    `blog.example ${NETWORK} blog.example`,
    `news.example ${SALES} News for phones`,
    `news.example ${SALES} news.example`,
  ])
})

test('supply_path tells who stands between a publisher and an agent', async () => {
  const columns =
    'publisher_domain, publisher_house, manager_domain, agent_url, delegation_type, operator_file, operator_relationships, hops, publisher_wide, properties_stale'
  expect(await readLines(first, 'supply_path', columns)).toEqual(
    [
      `blog.example - network.example ${NETWORK} delegated network.example delegated 2 true 0`,
      `news.example group.example - ${SALES} direct - - 1 true 0`,
      `news.example group.example - ${NETWORK} ad_network network.example - 1 false 0`,
    ].sort(),
  )
})

test('unauthorized_claims tells what a publisher says instead', async () => {
  const columns = 'publisher_domain, agent_url, claimed_by, claimant, publisher_says, properties'
  const shop = `shop.example ${NETWORK} manager network.example failing 1`
  expect(await readLines(first, 'unauthorized_claims', columns)).toEqual([shop])
  expect(await readLines(second, 'unauthorized_claims', columns)).toEqual([
    `news.example ${NETWORK} manager network.example other_agents 0`,
    shop,
  ])
})

test.each([
  ['never_crawled', []],
  ['no_file', ['absent']],
  ['failing', ['timeout']],
  ['failing', ['absent', 'timeout']],
] as const)('unauthorized_claims tells %s of a publisher after %j', async (says, attempts) => {
  const db = await openIndex(async (index, clock) => {
    const others = observeFirstNight(clock.now()).filter(({ location }) => location !== SHOP)
    await index.commit(others)
    for (const outcome of attempts)
      await index.commit([observeOutcome(outcome, 'adagents.json', SHOP, clock.now())])
  })
  expect(await readLines(db, 'unauthorized_claims', 'publisher_domain, publisher_says')).toEqual([
    `${SHOP} ${says}`,
  ])
})

test('crawl_health tells the state of each file and when it is due', async () => {
  const columns = 'location, state, outcome, http_status, failures, age_seconds'
  const ofPublishers =
    "(from crawl_health where kind = 'adagents.json' and attempted_at is not null)"
  expect(await readLines(second, ofPublishers, columns)).toEqual([
    'blog.example current ok 200 0 0',
    'network.example current ok 200 0 0',
    'news.example current ok 200 0 0',
    'radio.example current ok 200 0 0',
    'shop.example failing timeout - 2 -',
  ])
  const untouched = "(from crawl_health where kind = 'brand.json' and location = 'sport.example')"
  expect(await readLines(second, untouched, 'state, age_seconds, bytes')).toEqual([
    'current 86400 25',
  ])
  const agents = "(from crawl_health where kind = 'agent')"
  expect(await readLines(second, agents, 'host, state, overdue_seconds')).toEqual([
    'agent.network.example never_crawled 86400',
    'late.example never_crawled 86400',
    'sales.group.example never_crawled 86400',
  ])
})

test('brand_tree leads from the top of a house down to each brand', async () => {
  const columns = 'domain, house_name, parent_domain, depth, path'
  expect(await readLines(first, 'brand_tree', columns)).toEqual([
    'group.example The Group - 0 Group',
    'network.example - - 0 Operator',
    'news.example The Group group.example 1 Group,News',
    'sport.example The Group news.example 2 Group,News,Sport',
  ])
})

test('agent_reach counts publishers by how they authorize an agent', async () => {
  const columns =
    'agent_url, publishers, properties, direct_publishers, delegated_publishers, ad_network_publishers, managed_publishers, exclusive_publishers, markets'
  expect(await readLines(first, 'agent_reach', columns)).toEqual([
    `${NETWORK} 2 2 0 1 1 1 1 DE,FR`,
    `${LATE} 0 0 0 0 0 0 0 `,
    `${SALES} 1 2 1 0 0 0 0 `,
  ])
  expect(
    await readLines(second, 'agent_reach', 'agent_url, publishers, ad_network_publishers'),
  ).toEqual([`${NETWORK} 1 0`, `${LATE} 0 0`, `${SALES} 1 0`])
})

test('agent_reach takes an agent for alive by the outcomes that health.online counts', async () => {
  const rows = await readLines(second, 'agent_reach', 'is_alive, last_outcome')
  expect(rows).toEqual(['- -', '- -', '- -'])
  const [row] = await second.all<{ sql: string }>(
    "select sql from duckdb_views() where view_name = 'agent_reach'",
  )
  for (const name of outcomeNames)
    expect([name, row?.sql.includes(`'${name}'`)]).toEqual([
      name,
      outcomes[name].effect === 'success',
    ])
})

test('grants_flat explains each reason for the side of an operator', async () => {
  const [row] = await second.all<{ comment: string }>(
    "select comment from duckdb_columns() where table_name = 'grants_flat' and column_name = 'operator_reason'",
  )
  for (const text of Object.values(operatorTexts)) expect(row?.comment).toContain(text)
})

test('data_set names the commit that a snapshot shows, and since when history is recorded', async () => {
  const [row] = await readLines(second, 'data_set', 'format, seq, as_of, history_since')
  expect(row).toBe('2 2 2026-11-21T03:00:00.000Z 2026-11-20T03:00:00.000Z')
})

test('authorized_on lists the grants in force at a moment, windows included', async () => {
  const on = (moment: string) =>
    readLines(second, `authorized_on('${moment}')`, 'publisher_domain, agent_url')
  const stays = [`blog.example ${NETWORK}`, `news.example ${SALES}`]
  expect(await on('2026-11-20T12:00:00Z')).toEqual([...stays, `news.example ${NETWORK}`].sort())
  expect(await on('2026-11-21T10:59:00Z')).toEqual(stays)
  expect(await on('2026-11-21T11:00:00Z')).toEqual([...stays, `radio.example ${LATE}`])
})

test.each(['2026-11-19', '2026-11-20', '2026-11-20T02:59:59Z'])(
  'authorized_on refuses %s, of which nothing is known, instead of finding nobody',
  async moment => {
    await expect(readLines(second, `authorized_on('${moment}')`, 'agent_url')).rejects.toThrow(
      'authorized_on: nothing was recorded before 2026-11-20T03:00:00.000Z, when this registry began; ask for a later time',
    )
  },
)

test('authorized_on refuses a time to come', async () => {
  await expect(readLines(second, "authorized_on('2999-01-01')", 'agent_url')).rejects.toThrow(
    /authorized_on: what is known ends at 2026-11-2\d.*Z; ask for an earlier time/,
  )
  expect(await readLines(second, 'authorized_on(now())', 'agent_url')).not.toEqual([])
})

test('authorized_on takes a day as its first moment in UTC, whatever the zone of the session', async () => {
  const on = (moment: string) =>
    readLines(second, `authorized_on(${moment})`, 'publisher_domain, agent_url')
  const then = await on("'2026-11-21T00:00:00Z'")
  expect(then).toContain(`news.example ${NETWORK}`)
  await second.run("set TimeZone = 'Pacific/Auckland'")
  try {
    for (const day of [
      "'2026-11-21'",
      "date '2026-11-21'",
      "timestamptz '2026-11-21 13:00:00+13'",
    ]) {
      expect([day, await on(day)]).toEqual([day, then])
    }
    await expect(on("date '2026-11-20'")).rejects.toThrow('before 2026-11-20T03:00:00.000Z')
  } finally {
    await second.run("set TimeZone = 'UTC'")
  }
})

test('every view and every column of one says what it means, and one with a time that it is in UTC', async () => {
  const named = await first.all<{ name: string }>(
    `select view_name as name from duckdb_views() where not internal and not temporary`,
  )
  const tables = listPublishedTables().map(({ name }) => name)
  expect(named.map(({ name }) => name).sort()).toEqual(
    [...listViews(), ...tables, 'data_keys'].sort(),
  )
  const silent = await first.all(
    `select table_name, column_name from duckdb_columns()
     where schema_name = 'main' and not internal and database_name = current_database() and comment is null`,
  )
  expect(silent).toEqual([])
  const times = await first.all(
    `select table_name, column_name from duckdb_columns() where schema_name = 'main' and not internal
       and database_name = current_database() and data_type like 'TIMESTAMP%' and not contains(comment, '(UTC)')`,
  )
  expect(times).toEqual([])
})

test('the comment of a column names what it is about, since a reader sees it alone', async () => {
  const columns = await first.all<{ name: string; comment: string }>(
    `select table_name || '.' || column_name as name, comment from duckdb_columns()
     where schema_name = 'main' and not internal and database_name = current_database()`,
  )
  expect(columns.filter(({ comment }) => needsNoun(comment))).toEqual([])
})

test('views that are there already are not written again, and a changed one is', async () => {
  const read = () =>
    first.all('select view_name, view_oid from duckdb_views() where not internal order by all')
  await createTables(first)
  const before = await read()
  await createTables(first)
  expect(await read()).toEqual(before)
  await first.run(
    "create or replace view main.data_set as select 1 as format, 'old' as definitions",
  )
  await createTables(first)
  expect(await readLines(first, 'data_set', 'format, seq')).toEqual(['2 2'])
})

test.each([
  'https://Sales.Acme.example/MCP/',
  'HTTPS://sales.acme.example:443/mcp//',
  'http://a.example:80',
  'http://a.example:8080/x?y=1/#f',
  'https://a.example.:443/',
  ' https://a.example?x=/ ',
  'a.example',
  'ftp://a.example',
  'https://user:word@a.example/x',
  'https://a.example/a b',
  'https://a..example/mcp',
  'https://a.example/%2Fx?y=%26&z=%C3%A4',
  'http://127.0.0.1:5130/mcp/',
  'https://a.example/.well-known/x..y',
])('agent_key makes the key of %s that the registry makes', async address => {
  const { key } = await second.oneOrThrow<{ key: string | null }>(
    'select agent_key($address) as key',
    {
      address,
    },
  )
  expect(key).toBe(toAgentUrlKey(address) ?? null)
})

test.each([
  'https://a.example/./mcp',
  'https://a.example/x/..',
  'https://a.example/%2e/mcp',
  'https://a.example/%7Emcp',
  'https://a.example/%c3%a4',
  'https://bücher.example/mcp',
  'https://127.1/mcp',
])('agent_key is null for %s, which only the API rewrites', async address => {
  expect(toAgentUrlKey(address)).not.toBe(address)
  const sql = 'select agent_key($address) as key'
  expect(await second.one(sql, { address })).toEqual({ key: null })
})

test.each([
  'Acme.Example',
  'https://www.acme.example/',
  'HTTP://acme.example.',
  ' acme.example ',
  '\tacme.example\n',
  'acme.example /sport',
  'acme.example?x=1#y',
  'acme.example./sport\n',
  '//acme.example',
  'ftp://acme.example/',
  'https://acme.example:443/',
  'acme.example:8080',
  'user@acme.example',
  'https://user:word@acme.example/',
  'mailto:user@acme.example',
  'acme',
  'two words.example',
  'acme.example, acme.example',
  'acme..example',
  'acme.example..',
  '-acme.example',
  'under_score.example',
  '127.0.0.1',
  '[::1]',
  '1.2.example',
  'acme.1a',
  'acme.1-a',
  'acme.11',
  `${'a'.repeat(63)}.example`,
  `${'a'.repeat(64)}.example`,
  `${`${'a'.repeat(60)}.`.repeat(4)}acme.news`,
  `${`${'a'.repeat(60)}.`.repeat(4)}acme.press`,
  'xn--bcher-kva.example',
  '',
])('domain_key makes of %j the domain that the API makes, or null', async address => {
  const sql = 'select domain_key($address) as key'
  expect(await second.one(sql, { address })).toEqual({ key: parsePastedDomain(address) ?? null })
})

test.each([
  ['*.Acme.example', '*.acme.example'],
  ['bücher.example', null],
  ['acme。example', null],
])(
  'domain_key makes %j %j: wildcards stay, and international names are left alone',
  async (address, key) => {
    const sql = 'select domain_key($address) as key'
    expect(await second.one(sql, { address })).toEqual({ key })
  },
)

test('every macro of one value works also where the file is attached to another database', async () => {
  const own = await second.one<{ name: string; schema: string }>(
    'select current_database() as name, current_schema() as schema',
  )
  const macros = await second.all<{ name: string }>(
    "select function_name as name from duckdb_functions() where function_type = 'macro' and not internal",
  )
  expect(macros.length).toBeGreaterThan(4)
  await second.run("attach ':memory:' as elsewhere; use elsewhere")
  try {
    for (const { name } of macros) {
      const value = name === 'utc_time' ? 'now()' : "'https://www.acme.example'"
      await second.one(`select "${own?.name}".main.${name}(${value}) as value`)
    }
  } finally {
    await second.run(`use "${own?.name}"."${own?.schema}"; detach elsewhere`)
  }
})

test.each([
  ['https://www.acme.example/', 'acme.example'],
  ['Acme.Example', 'acme.example'],
  ['www.www.acme.example', 'www.acme.example'],
  ['www.example', 'www.example'],
  ['wwwacme.example', 'wwwacme.example'],
  ['two words.example', null],
])('site_key makes of %s the domain without www.', async (address, site) => {
  const sql = 'select site_key($address) as key'
  expect(await second.one(sql, { address })).toEqual({ key: site })
})
