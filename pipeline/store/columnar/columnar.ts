import { existsSync, rmSync, statSync } from 'node:fs'
import { isFoundBySeq, LOG, listColumnarTables } from '../columnar-log.ts'
import type { Sqlite } from '../sqlite.ts'
import { TableRows } from './columnar-rows.ts'
import { Database } from './duckdb.ts'
import { THREADS_DEFAULT } from './duckdb-instance.ts'
import { isOutOfMemory, MemoryLimit } from './memory-limit.ts'
import { createTables, isDeclared } from './schema.ts'

/** With twice as much, a first publication of 10^6 domains is no faster (54 and 47 s of processor time), and takes it all. */
const MEMORY_LIMIT = '256MB'

/**
 * Rows of the log above which a second thread of DuckDB shortens a publication. Below, one thread polls while the
 * other works: that is a fifth of the processor time of a small publication.
 */
const ROWS_FOR_TWO_THREADS = 10_000

/** State that the columnar index shows: the commit, and the last row of the log that is no longer needed. */
export interface Shown {
  seq: number
  logged: number
}

/**
 * The columnar index of a file. It stays open from one publication to the next: to open and to close it took 33 ms of
 * processor time, of the 116 of a small publication.
 */
export class Columnar {
  readonly #file: string
  #db: Database | undefined
  /** Inode, size and time of the file after the last update: others leave it as it is. */
  #stamp: string | undefined

  #memoryLimit: string

  constructor(file: string, memoryLimit = MEMORY_LIMIT) {
    this.#file = file
    this.#memoryLimit = memoryLimit
  }

  /**
   * Brings the file up to the record as it is now: in bulk, table by table, with the rows that changed since its last
   * commit, or all of them where it has none. The record may be written meanwhile. The file has all of it afterwards,
   * without a log beside it. Rows that need more memory than usual get as much as there may be, from then on.
   */
  async update(record: Sqlite): Promise<Shown> {
    try {
      return await this.#update(record)
    } catch (error) {
      if (!isOutOfMemory(error) || this.#memoryLimit === MemoryLimit.most) throw error
      this.close()
      this.#memoryLimit = MemoryLimit.most
      return this.#update(record)
    }
  }

  async #update(record: Sqlite): Promise<Shown> {
    const { logged, rows } = record.oneOrThrow<{ logged: number; rows: number }>(
      `select coalesce(max(id), 0) as logged, count(*) as rows from ${LOG}`,
    )
    const { seq } = record.oneOrThrow<{ seq: number }>('select seq from meta')
    const { db, since } = await this.#open(seq)
    const isLarge = since < 0 || rows >= ROWS_FOR_TWO_THREADS
    await db.run(`set threads = ${isLarge ? THREADS_DEFAULT : 1}`)
    await updateRows(db, record, since)
    await db.withMostMemory(() => db.run('checkpoint'))
    this.#stamp = this.#readStamp()
    return { seq, logged }
  }

  close(): void {
    this.#db?.close()
    this.#db = undefined
  }

  /** Has the next update make the file again, of all rows. */
  discard(): void {
    this.close()
    for (const old of [this.#file, `${this.#file}.wal`]) rmSync(old, { force: true })
  }

  #openFile(): Promise<Database> {
    return Database.open(this.#file, { memoryLimit: this.#memoryLimit, threads: 1 })
  }

  #readStamp(): string | undefined {
    const found = statSync(this.#file, { throwIfNoEntry: false })
    return found && `${found.ino} ${found.size} ${found.mtimeMs}`
  }

  /** Opens the file with the commit that it shows; one that cannot be continued, or that somebody changed, is made again. */
  async #open(seq: number): Promise<{ db: Database; since: number }> {
    if (this.#db && this.#readStamp() !== this.#stamp) this.discard()
    if (existsSync(this.#file)) {
      this.#db ??= await this.#openFile().catch(() => undefined)
      const db = this.#db
      const found = await db?.one<{ seq: number }>('select seq from meta').catch(() => undefined)
      if (db && found && found.seq <= seq && (await isDeclared(db))) return { db, since: found.seq }
    }
    this.discard()
    const db = await this.#openFile()
    this.#db = db
    await createTables(db)
    return { db, since: -1 }
  }
}

/** Brings all tables up from the commit `since`, or from nothing where that is below 0. */
export function updateRows(db: Database, record: Sqlite, since: number): Promise<void> {
  return db.transaction(async () => {
    const logged = new Set(record.values(`select distinct name from ${LOG}`).flat())
    for (const table of listColumnarTables()) {
      const rows = new TableRows(record, table)
      if (since < 0) await db.runEach(rows.insertion, rows.readAll())
      else {
        if (logged.has(table.name)) await updateLogged(db, rows, since)
        if (isFoundBySeq(table)) await updateSince(db, rows, since)
      }
    }
  })
}

/** Replaces the rows that the log lists. */
async function updateLogged(db: Database, rows: TableRows, since: number): Promise<void> {
  for (const keys of rows.readLoggedKeys()) {
    await db.run(`delete from ${rows.name} ${rows.deletion}`, { keys })
    await db.runEach(rows.insertion, rows.readLogged(keys, since))
  }
}

/** Replaces the rows that newer commits wrote. */
async function updateSince(db: Database, rows: TableRows, since: number): Promise<void> {
  const count = await db.runEach(rows.insertion, rows.readSince(since))
  if (count > 0) await db.run(`delete from ${rows.name} ${rows.replacement}`, { since })
}
