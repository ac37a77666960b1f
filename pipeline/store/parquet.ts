import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { type Instant, toDay } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { readCheckpoint } from './checkpoint.ts'
import { Database } from './duckdb.ts'
import type { Paths } from './paths.ts'
import { listTables } from './schema.ts'

/** Tables that serve the machine, not the analyst. */
const internal = new Set([
  'meta',
  'changes',
  'submissions',
  'depends_on',
  'wakes',
  'agent_facets',
  'enrolled_agents',
])
const DAYS_RETAINED = 2

export const exportedTables = () => listTables('tables').filter(name => !internal.has(name))

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
  const tables = exportedTables().filter(table => !existsSync(toFolder(paths, table, day)))
  if (checkpoint === undefined || tables.length === 0) return false
  const started = performance.now()
  const file = `${paths.snapshots}/${checkpoint.snapshot}`
  const snapshot = await Database.open(file, { readOnly: true, memoryLimit: '128MB', threads: 1 })
  try {
    for (const table of tables) await exportTable(snapshot, paths, table, day)
  } finally {
    snapshot.close()
  }
  const ms = Math.round(performance.now() - started)
  log.info({ day, tables: tables.length, seq: checkpoint.seq, ms }, 'exported')
  return true
}

async function exportTable(db: Database, paths: Paths, table: string, day: string): Promise<void> {
  const folder = toFolder(paths, table, day)
  const fresh = `${paths.parquet}/${table}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  mkdirSync(`${paths.parquet}/${table}`, { recursive: true })
  const target = `${fresh}/part-0.parquet`.replaceAll("'", "''")
  await db.run(`copy ${table} to '${target}' (format parquet, compression zstd)`)
  renameSync(fresh, folder)
  const days = readdirSync(`${paths.parquet}/${table}`).sort()
  for (const old of days.slice(0, -DAYS_RETAINED)) {
    rmSync(`${paths.parquet}/${table}/${old}`, { recursive: true })
  }
}

function toFolder(paths: Paths, table: string, day: string): string {
  return `${paths.parquet}/${table}/day=${day}`
}
