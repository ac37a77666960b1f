import { closeSync, openSync } from 'node:fs'
import {
  backup,
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { LRUCache } from 'lru-cache'
import { defineFunctions } from './sqlite-functions.ts'
import { type SqliteParameters, type SqliteValue, toJson, toStored } from './sqlite-values.ts'

export type { SqliteParameters, SqliteValue } from './sqlite-values.ts'

export interface SqliteOptions {
  readOnly?: boolean
}

/** Mode of a file that only its owner reads; its log and its index of that have the same. */
const PRIVATE_FILE = 0o600
const SQLITE_CORRUPT = 11
const STATEMENTS_MAX = 2_000
/** Time that a statement waits for another process, which only a backup or a start can need. */
const BUSY_MS = 5_000
const CACHE_KIB = 32 * 1024
/**
 * Bytes of the log at which a commit writes it into the file, and which it keeps on the disk afterwards. SQLite's own
 * 4 MB cost a commit of 45 pages a fifth more processor time: saves write the same pages again and again.
 */
const LOG_BYTES_MAX = 16 * 1024 * 1024
const PAGE_BYTES = 4_096
/** Pages that a copy takes at a time. */
const BACKUP_PAGES = 5_000

/** The type that an expression gives itself, as in `revoked_at is not null as "revoked [boolean]"`. */
const TYPED_NAME = /^(\w+) \[(.+)\]$/

type Decode = (value: SQLOutputValue) => unknown
/** Makes a row of the values of a statement. */
type RowMaker = (values: readonly SQLOutputValue[]) => object

const parseJson: Decode = value => (value === null ? null : JSON.parse(String(value)))

let lastInstant = { ms: Number.NaN, text: '' }

/** Converts milliseconds to ISO 8601: rows of one commit bear the same time, and most rows are read with others of it. */
function decodeInstant(ms: number): string {
  if (lastInstant.ms !== ms) lastInstant = { ms, text: new Date(ms).toISOString() }
  return lastInstant.text
}

/** Conversions of stored values to JSON values, by the declared type of their column. */
const decoders: Readonly<Record<string, Decode>> = {
  boolean: value => (value === null ? null : value !== 0),
  instant: value => (value === null ? null : decodeInstant(Number(value))),
  json: parseJson,
  'uuid[]': parseJson,
  'varchar[]': parseJson,
}

interface Prepared {
  statement: StatementSync
  /** Known from the first row on. */
  toRow?: RowMaker
}

interface Column {
  name: string
  type: string
}

/**
 * A SQLite file. Rows come back as plain JSON values, by the types that their columns declare; an expression
 * says its type in its name: `as "revoked [boolean]"`. Nothing here waits for anything but the disk, so no
 * other statement comes between those of a transaction.
 */
export class Sqlite {
  readonly file: string
  readonly #db: DatabaseSync
  readonly #statements = new LRUCache<string, Prepared>({ max: STATEMENTS_MAX })
  readonly #columns = new Map<string, readonly Column[]>()
  #depth = 0

  private constructor(file: string, db: DatabaseSync) {
    this.file = file
    this.#db = db
    defineFunctions(db)
  }

  /** Opens a file, which is made where it is missing, for its owner alone. Throws where it is no database. */
  static open(file: string, { readOnly = false }: SqliteOptions = {}): Sqlite {
    if (!readOnly && file !== ':memory:') makePrivate(file)
    const db = new DatabaseSync(file, { readOnly, timeout: BUSY_MS })
    try {
      db.exec(
        `pragma cache_size = -${CACHE_KIB}; pragma trusted_schema = off; pragma temp_store = memory`,
      )
      // What was deleted cannot be read from the bytes of the file.
      if (!readOnly) {
        db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on;
          pragma journal_size_limit = ${LOG_BYTES_MAX};
          pragma wal_autocheckpoint = ${LOG_BYTES_MAX / PAGE_BYTES}`)
      }
      return new Sqlite(file, db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Opens a file that nobody changes, such as a backup: nothing is written beside it, and its log is not read. */
  static openUnchanging(file: string): Sqlite {
    const url = pathToFileURL(file)
    url.searchParams.set('immutable', '1')
    return new Sqlite(file, new DatabaseSync(url, { readOnly: true }))
  }

  /** Runs statements without parameters. */
  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs one statement. Parameters that it does not name are ignored. Returns the number of rows that it changed. */
  run(sql: string, parameters: SqliteParameters = {}): number {
    return Number(this.#prepare(sql).statement.run(toNamed(parameters)).changes)
  }

  /** Runs a query and returns all rows. */
  all<Row>(sql: string, parameters: SqliteParameters = {}): Row[] {
    const prepared = this.#prepare(sql)
    const rows = prepared.statement.all(toNamed(parameters)) as unknown as SQLInputValue[][]
    if (rows.length === 0) return []
    const toRow = getRowMaker(prepared)
    return rows.map(values => toRow(values as never) as Row)
  }

  /** Runs a query and returns the stored values of all rows, in the order of its columns. */
  values(sql: string, parameters: SqliteParameters = {}): (string | number | null)[][] {
    return this.#prepare(sql).statement.all(toNamed(parameters)) as unknown as never[]
  }

  /** Runs a statement once for each item, with its values in their order. */
  runEach<Item>(
    sql: string,
    items: Iterable<Item>,
    toValues: (item: Item) => readonly (string | number | null)[],
  ): void {
    const { statement } = this.#prepare(sql)
    for (const item of items) statement.run(...toValues(item))
  }

  /** Runs a query and returns its first row. */
  one<Row>(sql: string, parameters: SqliteParameters = {}): Row | undefined {
    const prepared = this.#prepare(sql)
    const values = prepared.statement.get(toNamed(parameters))
    return values && (getRowMaker(prepared)(values as never) as Row)
  }

  /** Runs a query that always has a row, such as a count, and returns its first row. */
  oneOrThrow<Row>(sql: string, parameters: SqliteParameters = {}): Row {
    const row = this.one<Row>(sql, parameters)
    if (row === undefined) throw new Error(`a query that always has a row had none: ${sql}`)
    return row
  }

  /** Runs a query row by row, for results that do not fit into memory; nothing may be written meanwhile. */
  *iterate<Row>(sql: string, parameters: SqliteParameters = {}): Generator<Row> {
    const prepared = prepare(this.#db, sql)
    const rows = prepared.statement.iterate(toNamed(parameters))
    for (const values of rows) yield getRowMaker(prepared)(values as never) as Row
  }

  /** Runs a query row by row; returns the stored values. */
  *iterateValues(
    sql: string,
    parameters: SqliteParameters = {},
  ): Generator<(string | number | null)[]> {
    for (const values of prepare(this.#db, sql).statement.iterate(toNamed(parameters))) {
      yield values as unknown as (string | number | null)[]
    }
  }

  /**
   * Inserts rows of JSON values, each keyed by column name; absent keys become null. Whoever catches an error within a
   * transaction keeps the rows before the faulty one.
   */
  insert(table: string, rows: readonly object[]): void {
    if (rows.length === 0) return
    const columns = this.columns(table)
    const places = columns.map(() => '?').join(', ')
    const { statement } = this.#prepare(`insert into ${table} values (${places})`)
    const insert = (row: object) => {
      const cells = row as Readonly<Record<string, string>>
      statement.run(...columns.map(({ name, type }) => toStored(cells[name], type)))
    }
    // Within a transaction, a part of it would take the longer the longer that is: a night of 10^6 domains took minutes.
    if (rows.length === 1 || this.#depth > 0) rows.forEach(insert)
    else this.transaction(() => rows.forEach(insert))
  }

  /** Updates columns of rows, by a column that tells them apart. */
  update(table: string, key: string, columns: readonly string[], rows: readonly object[]): void {
    const types = new Map(this.columns(table).map(({ name, type }) => [name, type]))
    const set = columns.map(column => `${column} = ?`).join(', ')
    const { statement } = this.#prepare(`update ${table} set ${set} where ${key} = ?`)
    for (const row of rows) {
      const cells = row as Readonly<Record<string, string>>
      const toCell = (name: string) => toStored(cells[name], types.get(name) ?? '')
      statement.run(...columns.map(toCell), toCell(key))
    }
  }

  /** Appends flat rows, in the order of the columns. */
  append(
    table: string,
    rows: Iterable<readonly (string | number | boolean | null | undefined)[]>,
  ): void {
    let statement: StatementSync | undefined
    for (const row of rows) {
      statement ??= this.#prepare(
        `insert into ${table} values (${row.map(() => '?').join(', ')})`,
      ).statement
      statement.run(...row.map(toCell))
    }
  }

  /** Lists the columns of a table, in their order. */
  columns(table: string): readonly Column[] {
    const known = this.#columns.get(table)
    if (known) return known
    const sql = 'select name, lower(type) as type from pragma_table_info($table)'
    const columns = this.all<Column>(sql, { table })
    if (columns.length > 0) this.#columns.set(table, columns)
    return columns
  }

  /** Runs work in a transaction: all that it writes is committed, or nothing. Within another one it is a part of it. */
  transaction<Result>(work: () => Result): Result {
    const isOuter = this.#depth === 0
    const name = `part_${this.#depth}`
    this.#db.exec(isOuter ? 'begin immediate' : `savepoint ${name}`)
    this.#depth++
    try {
      const result = work()
      if (result instanceof Promise) throw new Error('a transaction cannot wait')
      this.#db.exec(isOuter ? 'commit' : `release ${name}`)
      return result
    } catch (error) {
      // After some errors, such as a full disk, nothing is left to roll back.
      if (this.#db.isTransaction) {
        this.#db.exec(isOuter ? 'rollback' : `rollback to ${name}; release ${name}`)
      }
      throw error
    } finally {
      this.#depth--
    }
  }

  /** Begins a transaction that others may be parts of, until `commit` or `rollback`. */
  begin(): void {
    this.#db.exec('begin immediate')
    this.#depth++
  }

  commit(): void {
    this.#db.exec('commit')
    this.#depth--
  }

  rollback(): void {
    this.#depth = 0
    if (this.#db.isTransaction) this.#db.exec('rollback')
  }

  /**
   * Copies the file as it is now, whole and without a log. Nobody may write by this connection until this resolves, nor
   * by another one unless this one is in a transaction.
   */
  async copyTo(file: string): Promise<void> {
    makePrivate(file)
    await backup(this.#db, file, { rate: BACKUP_PAGES })
  }

  /**
   * Writes all of the log into the file and empties it, so that it shows nothing of what was deleted. False where
   * somebody reads an earlier state, as a backup does.
   */
  emptyLog(): boolean {
    // It would wait for readers of this process too, which cannot end meanwhile.
    this.#db.exec('pragma busy_timeout = 0')
    try {
      return this.one<{ busy: number }>('pragma wal_checkpoint(truncate)')?.busy === 0
    } finally {
      this.#db.exec(`pragma busy_timeout = ${BUSY_MS}`)
    }
  }

  /** Reads all of the file; returns what is wrong with it. A quick check does not compare indexes with their rows. */
  listDamage(check: 'integrity_check' | 'quick_check' = 'integrity_check'): string[] {
    try {
      const lines = this.values(`pragma ${check}(10)`).flat().map(String)
      return lines.filter(line => line !== 'ok')
    } catch (error) {
      if (isDamaged(error)) return [error.message]
      throw error
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const prepared = prepare(this.#db, sql)
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/** Tells whether SQLite met a damaged page. */
export function isDamaged(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_CORRUPT
}

/** Makes an empty file for its owner alone where there is none. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', PRIVATE_FILE))
}

function prepare(db: DatabaseSync, sql: string): Prepared {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  statement.setAllowUnknownNamedParameters(true)
  return { statement }
}

function getRowMaker(prepared: Prepared): RowMaker {
  prepared.toRow ??= createRowMaker(prepared.statement)
  return prepared.toRow
}

/** Creates a function that makes a row of a statement's values, by the types of its columns. */
function createRowMaker(statement: StatementSync): RowMaker {
  const columns = statement.columns().map(({ name, type }) => {
    const [, plain = name, own = type ?? ''] = TYPED_NAME.exec(name) ?? []
    return { name: plain, decode: decoders[own.toLowerCase()] }
  })
  return values => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < columns.length; i++) {
      // biome-ignore lint/style/noNonNullAssertion: the index is below the length
      const { name, decode } = columns[i]!
      const value = values[i] ?? null
      row[name] = decode ? decode(value) : value
    }
    return row
  }
}

function toCell(value: string | number | boolean | null | undefined): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

function toNamed(parameters: SqliteParameters): Record<string, SQLInputValue> {
  const named: Record<string, SQLInputValue> = {}
  for (const name in parameters) named[name] = toParameter(parameters[name])
  return named
}

function toParameter(value: SqliteValue): SQLInputValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? toJson(value) : value
}
