import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { countThings } from '../../core/counts.ts'
import { Fatal } from '../../core/errors.ts'
import { toUserId } from '../../core/user-id.ts'
import { syncPath } from '../durable-files.ts'
import { buildStoredTable, declareIndex, INDEX_FORMAT } from '../index-tables.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from '../paths.ts'
import { FORMAT_BEFORE, findFormat, openAs, RECORD_FORMAT, setFormat } from '../record.ts'
import { describeRecovery, hasContent, PUT_BACK, REPLACE } from '../record-file.ts'
import { Sqlite } from '../sqlite.ts'
import { listTables, readTableFile, type TableFile } from '../table-files.ts'
import { Database } from './duckdb.ts'
import { isLocked } from './duckdb-instance.ts'

const TELL_EVERY_MS = 5_000

/** Progress of an import. */
export interface Importing {
  rows: number
  of: number
  seconds: number
  /** At the pace until now; undefined at the beginning. */
  seconds_left?: number
}

type Tell = (progress: Importing) => void

/**
 * Moves the index of the version before, a DuckDB file, into the record, and keeps both files as they were in `old/`.
 * The record is replaced by a complete one in one step, so an import that is interrupted begins again. Throws, with
 * nothing changed, where one of the two cannot be read. Only the writer may do it.
 */
export async function importIndex(paths: Paths, tell: Tell = () => undefined): Promise<void> {
  mkdirSync(paths.old, { recursive: true })
  chmodSync(paths.old, PRIVATE_FOLDER_MODE)
  if (!isImported(paths)) {
    const old = await openOldIndex(paths)
    try {
      await replaceRecord(paths, old, tell)
    } finally {
      old.close()
    }
  }
  for (const log of ['', '.wal'])
    if (existsSync(`${paths.oldIndex}${log}`))
      renameSync(`${paths.oldIndex}${log}`, `${paths.old}/index.duckdb${log}`)
  for (const lock of paths.oldLocks) rmSync(lock, { force: true })
  syncPath(paths.dir)
}

/** Tells whether only moving the file away is left of an import. */
function isImported({ record }: Paths): boolean {
  if (!hasContent(record)) return false
  const db = Sqlite.open(record)
  try {
    return findFormat(db) === RECORD_FORMAT
  } finally {
    db.close()
  }
}

async function openOldIndex(paths: Paths): Promise<Database> {
  const { oldIndex, dir } = paths
  let old: Database | undefined
  try {
    old = await Database.open(oldIndex, { memoryLimit: '512MB' })
    await assertKnown(old)
    return old
  } catch (error) {
    old?.close()
    if (error instanceof Fatal) throw error
    if (isLocked(error))
      throw new Fatal(`another process has index.duckdb of ${dir} open: stop it first`)
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Fatal(
      `index.duckdb cannot be read (${reason}): ${describeRecovery(paths, REPLACE)}`,
      { cause: error },
    )
  }
}

async function assertKnown(old: Database): Promise<void> {
  if (!(await hasRows(old))) return
  const { format } = await old.oneOrThrow<{ format: number }>('select format from meta')
  if (format === INDEX_FORMAT) return
  throw new Fatal(
    `index.duckdb has format ${format}, and this version reads format ${INDEX_FORMAT} only: start the last ` +
      'version that kept an index.duckdb on this folder once, then this one',
  )
}

/** Tells whether an index was ever begun: a first start that was interrupted leaves empty tables, or none. */
async function hasRows(old: Database): Promise<boolean> {
  const names = await listOldTables(old)
  return names.has('meta') && (await old.one('select 1 from meta')) !== undefined
}

async function listOldTables(old: Database): Promise<ReadonlySet<string>> {
  const rows = await old.all<{ name: string }>(
    'select table_name as name from duckdb_tables() where not temporary',
  )
  return new Set(rows.map(({ name }) => name))
}

/** Makes a record with the rows of both stores, and puts it in the place of the one without an index. */
async function replaceRecord(paths: Paths, old: Database, tell: Tell): Promise<void> {
  const { record } = paths
  const fresh = `${record}.import`
  rmSync(fresh, { force: true })
  const seq = (await hasRows(old)) ? await readSeq(old) : 0
  if (!hasContent(record) && seq > 0) {
    throw new Fatal(
      `record/record.sqlite is missing or empty, and index.duckdb has ${countThings(seq, 'commit')}: ${describeRecovery(paths, PUT_BACK)}`,
    )
  }
  // A first start that was interrupted may leave an index without rows, and no record.
  if (!hasContent(record)) return
  try {
    await copyRecord(record, fresh, seq)
    await fill(fresh, old, tell)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
  const copy = `${paths.old}/record.sqlite`
  rmSync(copy, { force: true })
  linkSync(record, copy)
  syncPath(paths.old)
  // Their contents are in the file: a log of another file would be taken for its own.
  for (const log of ['-wal', '-shm']) rmSync(`${record}${log}`, { force: true })
  renameSync(fresh, record)
  syncPath(dirname(record))
}

async function readSeq(old: Database): Promise<number> {
  return (await old.oneOrThrow<{ seq: number }>('select seq from meta')).seq
}

/** Copies the record with all that its log has. */
async function copyRecord(record: string, fresh: string, seq: number): Promise<void> {
  const db = openAs(record, FORMAT_BEFORE)
  try {
    assertCommitted(db, seq)
    if (!db.emptyLog()) throw new Fatal('another process reads record/record.sqlite: stop it first')
    await db.copyTo(fresh)
  } finally {
    db.close()
  }
}

/**
 * Throws where the index lacks the last commit. The version before wrote the private rows of a commit before its public ones. A crash in between is mended by the
 * delivery of the submission, which only that version can take up where it stopped.
 */
function assertCommitted(db: Sqlite, seq: number): void {
  const known = db.one("select 1 from sqlite_master where type = 'table' and name = 'submissions'")
  const open =
    known &&
    db.one(`select 1 from submissions where seq > $seq and answer ->> '$.done' is not null`, {
      seq,
    })
  if (open === undefined) return
  throw new Fatal(
    'index.duckdb lacks the last commit of record/record.sqlite, which a crash interrupted: start the version ' +
      'that wrote it once, which completes it, stop it, then start this one',
  )
}

/** Adds the rows of the index to a record that nobody else knows of yet, and makes it durable. */
async function fill(fresh: string, old: Database, tell: Tell): Promise<void> {
  const db = Sqlite.open(fresh)
  try {
    // A crash leaves nothing of it, and it is written once.
    db.exec('pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive')
    await copyRows(old, db, tell)
    renameRoleHolders(db)
    declareIndex(db)
    db.exec('delete from unpublished')
    setFormat(db)
    db.exec('pragma locking_mode = normal; pragma journal_mode = wal')
  } finally {
    db.close()
  }
  syncPath(fresh)
}

/** Has roles name people by their ids: that version named them by the subjects of their tokens, such as email addresses. */
function renameRoleHolders(db: Sqlite): void {
  if (db.one("select 1 from sqlite_master where name = 'roles'") === undefined) return
  const subjects = db.all<{ subject: string }>(
    "select distinct id as subject from roles where holder = 'user' and id like '%@%'",
  )
  for (const { subject } of subjects) {
    const id = toUserId(subject) ?? subject
    db.run("update roles set id = $id where holder = 'user' and id = $subject", { id, subject })
  }
}

/** Copies every table; keys and indexes follow when its rows are there. */
async function copyRows(old: Database, db: Sqlite, tell: Tell): Promise<void> {
  const known = await listOldTables(old)
  const tables = listTables('tables').map(name => readTableFile('tables', name))
  const pace = new Pace(
    await countRows(
      old,
      tables.filter(({ name }) => known.has(name)),
    ),
    tell,
  )
  for (const table of tables) {
    const [sql = ''] = buildStoredTable(table)
    db.exec(sql)
    if (!known.has(table.name)) continue
    for await (const rows of old.stream<object>(await buildQuery(old, table.name))) {
      db.insert(table.storedAs, rows)
      pace.add(rows.length)
    }
  }
  pace.end()
}

/** Builds the query of a table's rows, in their order; days are texts in the record. */
async function buildQuery(old: Database, table: string): Promise<string> {
  const types = await old.describe(table)
  const columns = [...types].map(([name, type]) =>
    type === 'DATE' ? `${name}::varchar as ${name}` : name,
  )
  return `select ${columns.join(', ')} from ${table} order by rowid`
}

async function countRows(old: Database, tables: readonly TableFile[]): Promise<number> {
  let rows = 0
  for (const { name } of tables) {
    rows += (await old.oneOrThrow<{ rows: number }>(`select count(*) as rows from ${name}`)).rows
  }
  return rows
}

/** Tells now and then how far an import is. */
class Pace {
  readonly #of: number
  readonly #tell: Tell
  readonly #began = performance.now()
  #rows = 0
  #toldAt = performance.now()

  constructor(of: number, tell: Tell) {
    this.#of = of
    this.#tell = tell
    tell({ rows: 0, of, seconds: 0 })
  }

  add(rows: number): void {
    this.#rows += rows
    const now = performance.now()
    if (now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    const seconds = (now - this.#began) / 1_000
    const left = (seconds * (this.#of - this.#rows)) / this.#rows
    this.#tell({
      rows: this.#rows,
      of: this.#of,
      seconds: Math.round(seconds),
      seconds_left: Math.round(left),
    })
  }

  end(): void {
    const seconds = Math.round((performance.now() - this.#began) / 1_000)
    this.#tell({ rows: this.#rows, of: this.#of, seconds, seconds_left: 0 })
  }
}
