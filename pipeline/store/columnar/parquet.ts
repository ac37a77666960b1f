import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type Instant, toDay } from '../../core/clock.ts'
import { type Config, readConfig } from '../../core/config.ts'
import type { Log } from '../../core/log.ts'
import { readCheckpoint } from '../checkpoint.ts'
import type { Paths } from '../paths.ts'
import { listPublishedTables } from '../table-files.ts'
import { Database } from './duckdb.ts'
import { countChangedRows, type TableChanges } from './parquet-changes.ts'
import { isListed, writeParquetManifest } from './parquet-manifest.ts'
import { pruneReleases } from './parquet-releases.ts'
import { STORED_SCHEMA } from './stored-schema.ts'

/** A table or view that is exported. */
interface Exported {
  name: string
  key?: string | undefined
}

/** Views that are exported beside the tables, most of which they join. */
const FLAT_GRANTS: Exported = { name: 'grants_flat', key: 'authorization_id, property_rid' }
const AGENT_REACH: Exported = { name: 'agent_reach', key: 'agent_url' }

/** Rows that a grant has in `grants_flat`, which is not stored: one per property. */
const COUNT_FLAT = `select coalesce(sum(greatest(len(s.property_rids), 1)), 0)::double as rows
  from authorizations a left join property_sets s on s.set_id = a.property_set where a.in_force`

/** Lists what is exported: the tables that analysts see, their grants by property, and what each agent reaches. */
const listExported = (): Exported[] => [...listPublishedTables(), FLAT_GRANTS, AGENT_REACH]
export const exportedTables = () => listExported().map(({ name }) => name)

export interface ExportOptions {
  /** Daily releases that are kept; of older ones the first of each month. */
  releases: number
  /** Bytes of a file from which a table is continued in another one. */
  partBytes: number
  /** Rows up to which the grants are exported by property. */
  flatRows: number
}

/** Reads from settings and limits how tables are exported. */
export function toExportOptions({ RELEASES_KEPT, LIMITS }: Config): ExportOptions {
  const { parquetPartBytes: partBytes, flatGrantRows: flatRows } = LIMITS
  return { releases: RELEASES_KEPT, partBytes, flatRows }
}

/** Time for which the first export waits for the last file: on a large web some file is always new. */
const FIRST_EXPORT_WAIT = 'interval 1 day'

/**
 * Tells whether the first export of all has to wait: a day that is exported before what is known was crawled
 * stays without the rest. Asks the snapshot, since what it shows is what is exported.
 */
export async function isTooSoonToExport(paths: Paths): Promise<boolean> {
  if (existsSync(paths.parquet)) return false
  const snapshot = await openSnapshot(paths)
  if (snapshot === undefined) return true
  try {
    const { isTooSoon } = await snapshot.oneOrThrow<{ isTooSoon: boolean }>(
      `select case when (select min(since) from frontier) < as_of - ${FIRST_EXPORT_WAIT} then tried <= 0.9
         else tried < 1 end as "isTooSoon"
       from data_set, (
         select coalesce(count(attempted_at) / nullif(count(*), 0), 0) as tried
         from crawl_state where priority < 3 and due_at is not null)`,
    )
    return isTooSoon
  } finally {
    snapshot.close()
  }
}

async function openSnapshot(paths: Paths): Promise<Database | undefined> {
  const checkpoint = readCheckpoint(paths)
  if (checkpoint === undefined) return undefined
  const opening = { readOnly: true, memoryLimit: '128MB', threads: 1, isForAnalysts: true }
  return Database.open(`${paths.snapshots}/${checkpoint.snapshot}`, opening)
}

/**
 * Exports the current snapshot as Parquet, once per UTC day: `parquet/<table>/day=YYYY-MM-DD/`.
 * Reads the snapshot, never the index, so that writes are not delayed. False where it was done
 * before.
 */
export async function exportParquet(
  paths: Paths,
  now: Instant,
  log: Log,
  options: ExportOptions = toExportOptions(readConfig({})),
): Promise<boolean> {
  const day = toDay(now)
  const tables = listExported().filter(({ name }) => !existsSync(toFolder(paths, name, day)))
  if (tables.length === 0 && isListed(paths, day)) return false
  const started = performance.now()
  const snapshot = await openSnapshot(paths)
  if (snapshot === undefined) return false
  try {
    const facts = await readFacts(snapshot)
    const { rows } = await snapshot.oneOrThrow<{ rows: number }>(COUNT_FLAT)
    const changes: TableChanges[] = []
    for (const table of tables) {
      if (table === FLAT_GRANTS && rows > options.flatRows) {
        // The empty folder says that the day is done.
        mkdirSync(toFolder(paths, table.name, day), { recursive: true })
      } else {
        await exportTable(snapshot, paths, { table, day, facts, partBytes: options.partBytes })
        changes.push(...(await compareWithLast(snapshot, paths, table, day, log)))
      }
      pruneReleases(`${paths.parquet}/${table.name}`, options.releases)
    }
    await writeParquetManifest(snapshot, paths, day, changes)
    const ms = Math.round(performance.now() - started)
    log.info({ day, tables: tables.length, seq: facts.registry_seq, ms }, 'exported')
  } finally {
    snapshot.close()
  }
  return true
}

/** Key/value metadata of a file: texts beside its rows. */
type Facts = Readonly<Record<string, string>>

interface Export {
  table: Exported
  day: string
  facts: Facts
  partBytes: number
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
  { table: { name: table, key }, day, facts, partBytes }: Export,
): Promise<void> {
  const folder = toFolder(paths, table, day)
  const fresh = `${paths.parquet}/${table}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  mkdirSync(`${paths.parquet}/${table}`, { recursive: true })
  const target = fresh.replaceAll("'", "''")
  const comment = await describeTable(db, table)
  const pairs = { ...facts, registry_table: table, comment, ...(key && { key }) }
  const metadata = Object.entries(pairs).map(
    ([key, text]) => `${key}: '${text.replaceAll("'", "''")}'`,
  )
  await db.run(
    `copy ${table} to '${target}' (format parquet, compression zstd, file_size_bytes ${partBytes},
       filename_pattern 'part-{i}', overwrite_or_ignore, kv_metadata {${metadata.join()}})`,
  )
  renameSync(fresh, folder)
}

/** Compares a release of a table with the one before; nothing where it is the first, or has no key. */
async function compareWithLast(
  db: Database,
  paths: Paths,
  { name: table, key }: Exported,
  day: string,
  log: Log,
): Promise<TableChanges[]> {
  const [, last] = readdirSync(`${paths.parquet}/${table}`)
    .filter(folder => folder <= `day=${day}`)
    .filter(folder => readdirSync(`${paths.parquet}/${table}/${folder}`).length > 0)
    .sort()
    .reverse()
  if (last === undefined || key === undefined) return []
  const since = last.slice('day='.length)
  const list = (of: string) => `${toFolder(paths, table, of)}/*.parquet`
  try {
    const counts = await countChangedRows(db, { key, before: list(since), after: list(day) })
    return [{ table, since, ...counts }]
  } catch (error) {
    // A release is of use without it.
    log.warn({ table, error }, 'not compared with the last release')
    return []
  }
}

function toFolder(paths: Paths, table: string, day: string): string {
  return `${paths.parquet}/${table}/day=${day}`
}
