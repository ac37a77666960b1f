import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, test } from 'vitest'
import { silentLog } from '../../../../pipeline/core/log.ts'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { exportedTables, exportParquet } from '../../../../pipeline/store/columnar/parquet.ts'
import { ParquetManifest } from '../../../../pipeline/store/columnar/parquet-manifest.ts'
import type { Paths } from '../../../../pipeline/store/paths.ts'
import { cleanUp, openTestSequencer } from '../../../support/registry/registry.ts'
import { commitTwoNights, FIRST_NIGHT, SALES } from '../../../support/worlds/analyst-world.ts'
import { type TestClock, testClock } from '../../../support/worlds/clock.ts'

interface Export {
  paths: Paths
  snapshot: Database
  clock: TestClock
}

/** Exports the tables of the second night. */
async function exportSecondNight(): Promise<Export> {
  const clock = testClock(FIRST_NIGHT)
  const registry = await openTestSequencer(clock)
  const { paths } = registry
  await commitTwoNights(observations => registry.commit({ observations, submissions: [] }), clock)
  await registry.publish()
  await exportParquet(paths, clock.now(), silentLog)
  const snapshot = await Database.open(paths.registry, { readOnly: true })
  cleanUp(() => snapshot.close())
  return { paths, snapshot, clock }
}

const open = ({ paths }: Export, table: string) =>
  asyncBufferFromFile(`${paths.parquet}/${table}/day=2026-11-21/part-0.parquet`)
const read = async (made: Export, table: string) =>
  parquetReadObjects({ file: await open(made, table), compressors })
const count = async ({ snapshot }: Export, table: string) =>
  (await snapshot.one<{ n: number }>(`select count(*)::integer as n from ${table}`))!.n

test('a reader that is not DuckDB reads every table, its types, and which commit it is of', async () => {
  const made = await exportSecondNight()
  for (const table of exportedTables()) {
    const rows = await read(made, table)
    expect([table, rows.length]).toEqual([table, await count(made, table)])
  }
  const grants = await read(made, 'authorizations')
  const direct = grants.find(({ agent_url }) => agent_url === SALES)!
  expect(direct).toMatchObject({
    publisher_domain: 'news.example',
    property_ids: ['app', 'site'],
    in_force: true,
    authorization_type: 'property_ids',
    delegation_type: 'direct',
  })
  const shop = (await read(made, 'documents')).find(({ fault_count }) => fault_count > 0)!
  expect(shop.faults[0]).toEqual({
    field: expect.any(String),
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.any(String),
    severity: expect.stringMatching(/^(error|warning)$/),
  })
  expect(direct.granted_at).toEqual(new Date('2026-11-20T03:00:00Z'))
  const properties = await read(made, 'properties')
  const app = properties.find(({ property_id }) => property_id === 'app')!
  expect(app).toMatchObject({
    name: 'News for phones',
    identifiers: [{ type: 'ios_bundle', value: 'example.news' }],
  })
  const { key_value_metadata = [] } = await parquetMetadataAsync(await open(made, 'authorizations'))
  const metadata = Object.fromEntries(key_value_metadata.map(({ key, value }) => [key, value]))
  expect(metadata).toMatchObject({
    registry_table: 'authorizations',
    registry_seq: '2',
    registry_as_of: '2026-11-21T03:00:00.000Z',
    comment: expect.stringContaining('which agents can sell which'),
    key: 'id',
  })
})

/** Types of columns that ClickHouse, BigQuery and Spark all document for Parquet. */
const portableTypes = [
  'BOOLEAN',
  'DOUBLE',
  'BYTE_ARRAY UTF8',
  'BYTE_ARRAY JSON',
  'FIXED_LEN_BYTE_ARRAY UUID',
  'INT32',
  'INT32 DATE',
  'INT32 INTEGER',
  'INT64',
  'INT64 INTEGER',
  'INT64 TIMESTAMP UTC',
]

test('columns have only types that other engines document, and times are in UTC', async () => {
  const made = await exportSecondNight()
  const found = new Set<string>()
  for (const table of exportedTables()) {
    const { schema } = await parquetMetadataAsync(await open(made, table))
    for (const { type, logical_type, converted_type } of schema) {
      if (type === undefined) continue
      const utc = logical_type?.type === 'TIMESTAMP' && logical_type.isAdjustedToUTC ? ['UTC'] : []
      const name = logical_type?.type ?? (converted_type && toLogicalName(converted_type))
      found.add([type, ...(name ? [name] : []), ...utc].join(' '))
    }
  }
  expect([...found].filter(type => !portableTypes.includes(type))).toEqual([])
  expect(found).toContain('INT64 TIMESTAMP UTC')
})

/** Converts the older name of a type to that of the logical type. */
function toLogicalName(converted: string): string {
  return /^U?INT_/.test(converted) ? 'INTEGER' : converted
}

test('the manifest names each file of both days with its rows and digest', async () => {
  const made = await exportSecondNight()
  const { paths, clock } = made
  clock.tick({ days: 1 })
  await exportParquet(paths, clock.now(), silentLog)
  const { files } = ParquetManifest.parse(JSON.parse(readFileSync(paths.parquetManifest, 'utf8')))
  const found = readdirSync(paths.parquet, { recursive: true, encoding: 'utf8' })
  expect(files.map(({ path }) => path)).toEqual(
    found.filter(name => name.endsWith('.parquet')).sort(),
  )
  expect(files).toHaveLength(2 * exportedTables().length)
  for (const { path, bytes, sha256 } of files) {
    const content = readFileSync(`${paths.parquet}/${path}`)
    expect([path, bytes]).toEqual([path, content.length])
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'))
  }
  expect(files.find(({ path }) => path.startsWith('authorizations/'))?.rows).toBe(
    await count(made, 'authorizations'),
  )
})
