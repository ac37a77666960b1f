import { setImmediate } from 'node:timers/promises'
import type { CommitNotes } from './commit-notes.ts'
import { parseRows } from './row-texts.ts'
import { Sqlite, type SqliteOptions } from './sqlite.ts'
import type { SqliteParameters } from './sqlite-values.ts'
import { TableVersions } from './table-versions.ts'
import { Transactions } from './transactions.ts'

export type Parameter = string | number | boolean | null
export type Parameters = Readonly<Record<string, Parameter>>
export type Cell = Parameter | undefined

/** Rows of one batch of a stream. */
const STREAM_ROWS = 2_000

/**
 * The rows of the writer, as it reads and writes them: tables of the record. Rows come back as plain JSON values,
 * times as ISO 8601 text. Each write notes the table that it changes. Nothing here waits for anything but the disk;
 * calls are asynchronous so that a long piece of work may let others in between.
 */
export class Database {
  readonly file: string
  readonly sqlite: Sqlite
  readonly #transactions: Transactions
  /** Temporary tables that exist, by name. */
  readonly #staged = new Set<string>()
  /** Versions of the tables that this process wrote; nobody else writes to the file. */
  readonly written = new TableVersions()
  /** Notes of the commit in progress, or of the last one; undefined before the first of this process. */
  notes: CommitNotes | undefined

  constructor(sqlite: Sqlite) {
    this.file = sqlite.file
    this.sqlite = sqlite
    this.#transactions = new Transactions(
      async sql => sqlite[sql](),
      () => {
        this.#staged.clear()
        this.written.noteAll()
      },
    )
  }

  static async open(file: string, options: SqliteOptions = {}): Promise<Database> {
    return new Database(Sqlite.open(file, options))
  }

  /** Runs any statements; those with parameters one at a time. Returns the number of changed rows. */
  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    this.written.noteAll()
    if (Object.keys(parameters).length > 0) return this.sqlite.run(sql, parameters)
    this.sqlite.exec(sql)
    return 0
  }

  /** Runs a statement that writes this table and no other: `rest` follows its name. Returns the number of rows. */
  async write(
    verb: 'insert into' | 'update' | 'delete from',
    table: string,
    rest = '',
    parameters: Parameters = {},
  ): Promise<number> {
    if (verb === 'update') this.written.noteUpdate(table)
    else this.written.note(table)
    return this.sqlite.run(`${verb} ${table} ${rest}`, parameters)
  }

  /** Runs a statement that writes this table and no other once for each item, with its values in their order. */
  async writeEach<Item>(
    verb: 'insert into' | 'update' | 'delete from',
    table: string,
    rest: string,
    items: Iterable<Item>,
    toValues: (item: Item) => readonly (string | number | null)[],
  ): Promise<void> {
    if (verb === 'update') this.written.noteUpdate(table)
    else this.written.note(table)
    this.sqlite.runEach(`${verb} ${table} ${rest}`, items, toValues)
  }

  /** Fills a temporary table, in the place of what it held; `columns` declares it, the first time. */
  async stage(table: string, columns: string, rows: Iterable<readonly Cell[]>): Promise<void> {
    await this.#clear(table, columns)
    this.sqlite.append(`temp.${table}`, rows)
  }

  /** Fills a temporary table with what a query finds; returns the number of its rows. */
  async stageQuery(
    table: string,
    columns: string,
    query: string,
    parameters: Parameters = {},
  ): Promise<number> {
    await this.#clear(table, columns)
    return this.sqlite.run(`insert into temp.${table} ${query}`, parameters)
  }

  async #clear(table: string, columns: string): Promise<void> {
    if (this.#staged.has(table)) {
      this.sqlite.run(`delete from temp.${table}`)
      return
    }
    // A new table has all statements prepared again: each is made once.
    this.sqlite.exec(
      `create temp table if not exists ${table} (${columns}); delete from temp.${table}`,
    )
    this.#staged.add(table)
  }

  /** Runs a query and returns all rows. */
  async all<Row>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    return this.sqlite.all<Row>(sql, parameters)
  }

  /** Runs a query and returns the stored values of all rows, in the order of its columns. */
  async values(sql: string, parameters: Parameters = {}): Promise<(string | number | null)[][]> {
    return this.sqlite.values(sql, parameters)
  }

  /** Runs a query and returns its first row. */
  async one<Row>(sql: string, parameters: Parameters = {}): Promise<Row | undefined> {
    return this.sqlite.one<Row>(sql, parameters)
  }

  /** Runs a query that always has a row, such as a count, and returns its first row. */
  async oneOrThrow<Row>(sql: string, parameters: Parameters = {}): Promise<Row> {
    return this.sqlite.oneOrThrow<Row>(sql, parameters)
  }

  /**
   * Reads columns of all rows of `from` as texts, null as an empty one: cheaper than `all` for many small rows. No
   * value may contain the separators, U+001E and U+001F. The rows can be iterated once. All of them share one string,
   * so a text that is kept must be detached from it (`detach` in core/strings.ts).
   */
  async texts(
    columns: readonly string[],
    from: string,
    parameters: Parameters = {},
    order?: string,
  ): Promise<Iterable<string[]>> {
    return parseRows(await this.text(columns, from, parameters, order))
  }

  /** Reads the same as one text, with U+001F between columns and U+001E between rows. */
  async text(
    columns: readonly string[],
    from: string,
    parameters: Parameters = {},
    order?: string,
  ): Promise<string> {
    const cells = columns.map(column => `coalesce(${column}, '')`)
    const sorted = order === undefined ? '' : `order by ${order}`
    const row = this.sqlite.one<{ lines: string | null }>(
      `select string_agg(concat_ws(char(31), ${cells.join(', ')}), char(30) ${sorted}) as lines from ${from}`,
      parameters,
    )
    return row?.lines ?? ''
  }

  /**
   * Streams rows in batches, for results that do not fit into memory; nothing may be written meanwhile. Timers, such
   * as that of the lease, run between batches.
   */
  async *stream<Row>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    let batch: Row[] = []
    for (const row of this.sqlite.iterate<Row>(sql, parameters)) {
      batch.push(row)
      if (batch.length < STREAM_ROWS) continue
      yield batch
      batch = []
      if (!this.#transactions.isOpen) await setImmediate()
    }
    if (batch.length > 0) yield batch
  }

  /** Runs `work` in a transaction, one after the other: it is committed as a whole or rolled back. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#transactions.run(work)
  }

  /** Inserts rows of JSON values, each keyed by column name; absent keys become null. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return
    this.written.note(table)
    this.sqlite.insert(table, rows)
  }

  /** Updates columns of existing rows, by a column that is unique among `rows`. */
  async update(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly object[],
  ): Promise<void> {
    this.written.noteUpdate(table)
    this.sqlite.update(table, key, columns, rows)
  }

  /** Appends flat rows, in the order of the columns. */
  async append(table: string, rows: Iterable<readonly Cell[]>): Promise<void> {
    this.written.note(table)
    this.sqlite.append(table, rows)
  }

  /** Finds the notes of the commit of this number, if it is in progress here, or was the last one. */
  findNotes(seq: number): CommitNotes | undefined {
    return this.notes?.seq === seq ? this.notes : undefined
  }

  close(): void {
    this.sqlite.close()
  }
}

export type { SqliteParameters }
