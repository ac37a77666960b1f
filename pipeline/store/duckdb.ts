import { Connection, type Planning } from './duckdb-connection.ts'
import type { OpenOptions } from './duckdb-instance.ts'
import type { Cell, Parameters } from './duckdb-values.ts'
import { chunkRows, parseRows } from './row-texts.ts'
import { TableVersions } from './table-versions.ts'

export type { Planning } from './duckdb-connection.ts'
export { isLocked, type OpenOptions } from './duckdb-instance.ts'
export type { Cell, Parameter, Parameters } from './duckdb-values.ts'

/**
 * A database as the registry reads and writes it: one file, one connection. Rows come back as plain JSON
 * values: 64-bit integers as numbers, timestamps as ISO 8601 text, JSON columns parsed. Each write notes
 * the table that it changes, so that what was read of the others stays cached.
 */
export class Database {
  readonly file: string
  readonly #connection: Connection
  /** Columns of the tables that were written. */
  readonly #types = new Map<string, [column: string, type: string][]>()
  /** Versions of the tables that this process wrote; nobody else writes to the file. */
  readonly written: TableVersions

  private constructor(connection: Connection, written: TableVersions) {
    this.file = connection.file
    this.#connection = connection
    this.written = written
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions = {}): Promise<Database> {
    const written = new TableVersions()
    return new Database(await Connection.open(file, options, () => written.noteAll()), written)
  }

  /** Opens another connection to the same file, for reading beside this one; closed before it. */
  async openAnother(): Promise<Database> {
    const written = new TableVersions()
    return new Database(await this.#connection.another(() => written.noteAll()), written)
  }

  /**
   * Runs any statement and invalidates everything that is cached of any table. Parameters that the statement
   * does not name are ignored. Returns the number of rows that it changed.
   */
  run(sql: string, parameters: Parameters = {}): Promise<number> {
    this.written.noteAll()
    return this.#connection.run(sql, parameters, 'prepare')
  }

  /**
   * Runs a statement that writes this table and no other: `rest` follows its name. Returns the number of
   * rows.
   */
  write(
    verb: 'insert into' | 'update' | 'delete from',
    table: string,
    rest = '',
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<number> {
    if (verb === 'update') this.written.noteUpdate(table)
    else this.written.note(table)
    return this.#connection.run(`${verb} ${table} ${rest}`, parameters, planning)
  }

  /** Runs a statement that writes only temporary tables, or none, so that no cache is invalidated. */
  runTemporary(sql: string, parameters: Parameters = {}): Promise<number> {
    return this.#connection.run(sql, parameters, 'prepare')
  }

  /** Runs a query and returns all rows; `cached` keeps its prepared statement for the next time. */
  all<Row>(
    sql: string,
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<Row[]> {
    return this.#connection.query(sql, parameters, planning)
  }

  /** Runs a query and returns its first row. */
  async one<Row>(
    sql: string,
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters, planning))[0]
  }

  /** Runs a query that always has a row, such as a count, and returns its first row. */
  async oneOrThrow<Row>(
    sql: string,
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<Row> {
    const row = await this.one<Row>(sql, parameters, planning)
    if (row === undefined) throw new Error(`a query that always has a row had none: ${sql}`)
    return row
  }

  /**
   * Reads columns of all rows of `from` as texts, null as an empty one: ten times cheaper than `all` for many
   * small rows. No value may contain the separators, U+001E and U+001F. The rows can be iterated once. All of
   * them share one string, so a text that is kept must be detached from it (`detach` in core/strings.ts).
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
    const cells = columns.map(column => `coalesce((${column})::varchar, '')`)
    const sorted = order === undefined ? '' : `order by ${order}`
    const row = await this.one<{ lines: string | null }>(
      `select string_agg(concat_ws(chr(31), ${cells.join(', ')}), chr(30) ${sorted}) as lines from ${from}`,
      parameters,
    )
    return row?.lines ?? ''
  }

  /**
   * Streams rows in batches of a few thousand, on a connection of its own, for results that do not fit into
   * memory.
   */
  stream<Row>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    return this.#connection.stream(sql, parameters)
  }

  /** Runs `work` in a transaction, alone on the connection: it is committed as a whole or rolled back. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#connection.transactions.run(work)
  }

  /** Inserts rows of JSON values, each keyed by column name; absent keys become null. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return
    this.written.note(table)
    const structure = await this.#describeStructure(table)
    const insert = (from: string, rowsJson: string) =>
      this.#connection.run(
        `insert into ${table} by name select unnest(${from})`,
        { rows: rowsJson },
        'cached',
      )
    if (rows.length === 1) {
      // A single row needs no list, which makes a shorter plan.
      await insert(
        `from_json($rows::varchar, '${structure.slice(1, -1)}')`,
        JSON.stringify(rows[0]),
      )
      return
    }
    const list = `from_json($rows::varchar, '${structure}'), recursive := true`
    for (const text of chunkRows(rows)) await insert(list, text)
  }

  /** Updates columns of existing rows, by a column that is unique among `rows`. */
  async update(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly object[],
  ): Promise<void> {
    const named = [key, ...columns]
    const structure = await this.#describeStructure(table, named)
    const picked = rows.map(row => {
      const cells = row as Readonly<Record<string, unknown>>
      return Object.fromEntries(named.map(column => [column, cells[column]]))
    })
    await this.write(
      'update',
      table,
      `set ${columns.map(column => `${column} = fresh.${column}`).join(', ')}
       from (select unnest(from_json($rows::varchar, '${structure}'), recursive := true)) as fresh
       where ${table}.${key} = fresh.${key}`,
      { rows: JSON.stringify(picked) },
      'cached',
    )
  }

  /**
   * Appends rows to a temporary table, or one of `schema`, that has only varchar, double and boolean columns:
   * the fastest way to insert.
   */
  append(table: string, rows: Iterable<readonly Cell[]>, schema?: string): Promise<void> {
    this.written.note(table)
    return this.#connection.append(table, rows, schema)
  }

  /** Runs work that goes through whole tables under the highest memory limit. */
  withMostMemory(work: () => Promise<unknown>): Promise<void> {
    return this.#connection.withMostMemory(work)
  }

  close(): void {
    this.#connection.close()
  }

  /** Tells the types of the columns of a table. */
  async describe(table: string): Promise<ReadonlyMap<string, string>> {
    return new Map(await this.#readTypes(table))
  }

  /** Describes the JSON structure of a table's rows, with all columns or some. */
  async #describeStructure(table: string, some?: readonly string[]): Promise<string> {
    const types = this.#types.get(table) ?? (await this.#readTypes(table))
    this.#types.set(table, types)
    return describeStructure(some ? types.filter(([column]) => some.includes(column)) : types)
  }

  async #readTypes(table: string): Promise<[column: string, type: string][]> {
    const columns = await this.all<{ column_name: string; column_type: string }>(
      `select column_name, column_type from (describe ${table})`,
    )
    return columns.map(({ column_name, column_type }) => [column_name, column_type])
  }
}

/** Describes the structure of rows for `from_json`: lists and structs as JSON, other types by name. */
function describeStructure(columns: [string, string][]): string {
  const shape = Object.fromEntries(columns.map(([name, type]) => [name, toShape(type)]))
  return JSON.stringify([shape]).replaceAll("'", "''")
}

/** Converts a DuckDB type, such as `STRUCT(a VARCHAR)[]`, to that description. */
export function toShape(type: string): unknown {
  const list = /^(.*)\[\]$/.exec(type)
  if (list) return [toShape(list[1] ?? '')]
  const struct = /^STRUCT\((.*)\)$/i.exec(type)
  if (!struct) return type
  const members = [...(struct[1] ?? '').matchAll(/"?(\w+)"? (\w+)/g)]
  return Object.fromEntries(members.map(([, name, member]) => [name, member]))
}

/**
 * Builds SQL that reads a list from one parameter: `where x in (select unnest(${toListExpression('$xs')}))`.
 */
export function toListExpression(parameter: string): string {
  return `from_json(${parameter}::varchar, '["VARCHAR"]')`
}
