import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ShownBadge } from '../../../../pipeline/model/agent-verdict.ts'
import type { CountedResult } from '../../../../pipeline/model/compliance.ts'
import type { RequestedFile } from '../../../../pipeline/model/crawl-request.ts'
import type { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { listPublishedTables } from '../../../../pipeline/store/table-files.ts'
import { listBrokenKeys } from '../../../support/checks/declared-keys.ts'
import { observeFile } from '../../../support/fixtures/observations.ts'
import { type MemoryIndex, openMemoryIndex } from '../../../support/registry/memory-index.ts'
import { commitTwoNights, FIRST_NIGHT, LATE } from '../../../support/worlds/analyst-world.ts'
import { testClock } from '../../../support/worlds/clock.ts'

/** Tags with all that JSON escapes, sorted. */
const TAGS = ['a', 'b "quoted", it\'s {[', 'c\nd\te', 'f\\ng\\\\']

let index: MemoryIndex
let db: Database

beforeAll(async () => {
  const clock = testClock(FIRST_NIGHT)
  index = await openMemoryIndex(clock)
  await commitTwoNights(observations => index.commit(observations), clock)
  const agent = {
    url: LATE,
    authorized_for: 'Sales',
    authorization_type: 'publisher_properties',
    publisher_properties: [
      { publisher_domains: ['pinned.example'], selection_type: 'by_tag', property_tags: TAGS },
    ],
    collections: [{ publisher_domain: 'pinned.example', collection_ids: ['late', 'early'] }],
    effective_until: '2026-12-24T18:00:00+01:00',
  }
  const property = {
    property_type: 'website',
    name: 'Pinned',
    identifiers: [
      { type: 'domain', value: 'pinned.example' },
      { type: 'domain', value: 'Café.pinned.example' },
      { type: 'ios_bundle', value: 'example.Pinned.App' },
    ],
    tags: ['a'],
  }
  await index.commit([
    observeFile(
      'adagents.json',
      'pinned.example',
      { properties: [property], authorized_agents: [agent] },
      clock.now(),
    ),
  ])
  db = await index.publish()
})

afterAll(() => index.close())

test('lists of a grant are structs, its window is in time zones, and closed lists are enums', async () => {
  const [grant] = await db.all(`
    select publisher_properties[1].property_tags as tags, collections[1].collection_ids as collections,
      effective_from,
      effective_until = timestamptz '2026-12-24 17:00:00+00' as ends,
      authorization_type as by, typeof(effective_until) as moment,
      typeof(authorization_type) like 'ENUM(%' as is_enum
    from authorizations where publisher_domain = 'pinned.example'`)
  expect(grant).toEqual({
    tags: TAGS,
    collections: ['early', 'late'],
    effective_from: null,
    ends: true,
    by: 'publisher_properties',
    moment: 'TIMESTAMP WITH TIME ZONE',
    is_enum: true,
  })
})

test('identifiers are found in one spelling, however a file writes them', async () => {
  const found = `[i.value for i in identifier_keys] as keys, len(identifiers) as written`
  const keys = ['example.pinned.app', 'pinned.example', 'xn--caf-dma.pinned.example']
  for (const table of ['properties', 'grants_flat', 'properties_history']) {
    const [row] = await db.all<{ keys: string[]; written: number }>(
      `select ${found} from ${table} where publisher_domain = 'pinned.example'`,
    )
    expect([table, row?.keys.toSorted(), row?.written]).toEqual([table, keys, 3])
  }
})

test('faults of a file are structs that can be counted by their code', async () => {
  const codes = await db.all<{ code: string }>(
    'select unnest(faults).code from documents where fault_count > 0',
  )
  expect(codes.length).toBeGreaterThan(0)
  expect(codes.every(({ code }) => /^[a-z_]+$/.test(code))).toBe(true)
})

test('storyboards and badges of a tested agent are structs', async () => {
  const storyboards: CountedResult[] = [
    { storyboard_id: 'a', track: 'core', status: 'passing', steps_passed: 5, steps_total: 5 },
    { storyboard_id: 'b', track: null, status: 'untested', steps_passed: 0, steps_total: 2 },
  ]
  const badges: ShownBadge[] = [
    { role: 'signals', adcp_version: '3.0', verified_specialisms: ['sales-guaranteed', 'b "c"'] },
  ]
  await db.run(
    `insert into internal.agent_standings by name select
    'https://a.example/' as agent_url, 'passing' as status, 'production' as lifecycle_stage, '{}' as tracks,
    1 as storyboards_passing, 1 as storyboards_total, 0 as streak_days, 1 as seq,
    $storyboards as storyboards, $badges as badges`,
    {
      storyboards: JSON.stringify(storyboards),
      badges: JSON.stringify(badges),
    },
  )
  expect(await db.one('select storyboards, badges from agent_standings')).toEqual({
    storyboards,
    badges,
  })
})

test('files of a requested crawl are structs', async () => {
  const files: RequestedFile[] = [
    {
      kind: 'adagents.json',
      location: 'shop.example',
      attempts: 2,
      outcome: 'timeout',
      http_status: null,
      attempted_at: '2026-11-20T03:00:00.000Z',
      next_attempt_at: null,
      deferred: false,
    },
  ]
  await db.run(
    `insert into internal.crawl_requests by name select
    'id' as crawl_request_id, 'domain' as scope, 'shop.example' as domain, 'running' as status, 2 as attempts,
    now() as requested_at, 1 as requested_seq, $files as files, 1 as seq`,
    { files: JSON.stringify(files) },
  )
  expect(
    await db.one(`select files[1].location as location, files[1].deferred as deferred,
      files[1].attempted_at = timestamptz '2026-11-20 03:00:00+00' as attempted from crawl_requests`),
  ).toEqual({ location: 'shop.example', deferred: false, attempted: true })
})

test('no published column is text where the stored one is JSON with a known shape, or loses a value', async () => {
  for (const { name, columns } of listPublishedTables()) {
    for (const { name: column, publishedAs } of columns) {
      if (publishedAs === undefined) continue
      const counts = await db.one(`select (select count(${column}) from ${name}) as published,
        (select count(${column}) from internal.${name}) as stored`)
      const { published, stored } = counts as { published: number; stored: number }
      expect([`${name}.${column}`, published]).toEqual([`${name}.${column}`, stored])
    }
  }
})

test('only bookkeeping is without a view, and stands in the schema internal', async () => {
  const hidden = await db.all<{ name: string }>(
    `select table_name as name from duckdb_tables() where schema_name = 'internal'
     and table_name not in (select view_name from duckdb_views() where schema_name = 'main') order by all`,
  )
  expect(hidden.map(({ name }) => name)).toEqual([
    'agent_facets',
    'changes',
    'depends_on',
    'enrolled_agents',
    'house_claims',
    'lost_events',
    'meta',
    'wakes',
  ])
})

test('declared keys tell rows apart, and references lead to rows', async () => {
  const counts = await db.one(`select
    (count(*) filter (kind = 'primary'))::integer as primary_keys,
    (count(*) filter (kind = 'foreign'))::integer as foreign_keys from data_keys`)
  expect(counts).toEqual({ primary_keys: 36, foreign_keys: 14 })
  expect(await listBrokenKeys(db)).toEqual([])
})
