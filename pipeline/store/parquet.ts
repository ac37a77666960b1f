import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type Instant, toDay } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { readCheckpoint } from './checkpoint.ts'
import { Database } from './duckdb.ts'
import { writeParquetManifest } from './parquet-manifest.ts'
import type { Paths } from './paths.ts'
import { STORED_SCHEMA } from './stored-schema.ts'
import { listPublishedTables, type TableFile } from './table-files.ts'

const DAYS_RETAINED = 2

/** Lists the tables that are exported, which are those that analysts see. */
export const exportedTables = () => listPublishedTables().map(({ name }) => name)

/**
 * Tells whether the first export of all has to wait: a day that is exported before most of what is
 * known was crawled stays without the rest.
 */
export async function isTooSoonToExport(index: Database, paths: Paths): Promise<boolean> {
  if (existsSync(paths.parquet)) return false
  const crawled = await index.one<{ most: boolean }>(
    'select count(attempted_at) > 0.9 * count(*) as most from crawl_state where priority < 3',
  )
  return !crawled?.most
}

/**
 * Exports the current snapshot as Parquet, once per UTC day: `parquet/<table>/day=YYYY-MM-DD/`.
 * Reads the snapshot, never the index, so that writes are not delayed. False where it was done
 * before.
 */
export async function exportParquet(paths: Paths, now: Instant, log: Log): Promise<boolean> {
  const day = toDay(now)
  const checkpoint = readCheckpoint(paths)
  const tables = listPublishedTables().filter(({ name }) => !existsSync(toFolder(paths, name, day)))
  if (checkpoint === undefined || tables.length === 0) return false
  const started = performance.now()
  const file = `${paths.snapshots}/${checkpoint.snapshot}`
  const options = { readOnly: true, memoryLimit: '128MB', threads: 1, isForAnalysts: true }
  const snapshot = await Database.open(file, options)
  try {
    const facts = await readFacts(snapshot)
    for (const table of tables) await exportTable(snapshot, paths, { table, day, facts })
    await writeParquetManifest(snapshot, paths)
  } finally {
    snapshot.close()
  }
  const ms = Math.round(performance.now() - started)
  log.info({ day, tables: tables.length, seq: checkpoint.seq, ms }, 'exported')
  return true
}

/** Key/value metadata of a file: texts beside its rows. */
type Facts = Readonly<Record<string, string>>

interface Export {
  table: TableFile
  day: string
  facts: Facts
}

/** Reads which commit the snapshot shows. */
async function readFacts(snapshot: Database): Promise<Facts> {
  const { seq, as_of } = await snapshot.oneOrThrow<{ seq: string; as_of: string | null }>(
    `select seq::varchar as seq, strftime(committed_at::timestamp, '%Y-%m-%dT%H:%M:%S.%gZ') as as_of
     from ${STORED_SCHEMA}.meta`,
  )
  return { registry_seq: seq, registry_as_of: as_of ?? '' }
}

async function describeTable(db: Database, table: string): Promise<string> {
  const sql = 'select comment from duckdb_views() where view_name = $table'
  return (await db.one<{ comment: string | null }>(sql, { table }))?.comment ?? ''
}

async function exportTable(
  db: Database,
  paths: Paths,
  { table: { name: table, key }, day, facts }: Export,
): Promise<void> {
  const folder = toFolder(paths, table, day)
  const fresh = `${paths.parquet}/${table}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  mkdirSync(`${paths.parquet}/${table}`, { recursive: true })
  const target = `${fresh}/part-0.parquet`.replaceAll("'", "''")
  const comment = await describeTable(db, table)
  const pairs = { ...facts, registry_table: table, comment, ...(key && { key }) }
  const metadata = Object.entries(pairs).map(
    ([key, text]) => `${key}: '${text.replaceAll("'", "''")}'`,
  )
  await db.run(
    `copy ${table} to '${target}' (format parquet, compression zstd, kv_metadata {${metadata.join()}})`,
  )
  renameSync(fresh, folder)
  const days = readdirSync(`${paths.parquet}/${table}`).sort()
  for (const old of days.slice(0, -DAYS_RETAINED)) {
    rmSync(`${paths.parquet}/${table}/${old}`, { recursive: true })
  }
}

/** Lists the files of all exports that are kept. */
export function listExportedFiles(paths: Paths): string[] {
  if (!existsSync(paths.parquet)) return []
  return readdirSync(paths.parquet, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.endsWith('.new'))
    .map(entry => `${entry.parentPath}/${entry.name}`)
    .sort()
}

function toFolder(paths: Paths, table: string, day: string): string {
  return `${paths.parquet}/${table}/day=${day}`
}
