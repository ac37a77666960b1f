import { Connection, type Planning } from './duckdb-connection.ts'
import type { OpenOptions } from './duckdb-instance.ts'
import type { Parameters } from './duckdb-values.ts'

export type { Planning } from './duckdb-connection.ts'
export { isLocked, type OpenOptions } from './duckdb-instance.ts'
export type { Cell, Parameter, Parameters } from './duckdb-values.ts'

/**
 * A columnar database: one file, one connection. Rows come back as plain JSON values: 64-bit integers as numbers,
 * timestamps as ISO 8601 text, JSON columns parsed.
 */
export class Database {
  readonly file: string
  readonly #connection: Connection

  private constructor(connection: Connection) {
    this.file = connection.file
    this.#connection = connection
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions = {}): Promise<Database> {
    return new Database(await Connection.open(file, options))
  }

  /** Opens another connection to the same file, for reading beside this one; closed before it. */
  async openAnother(): Promise<Database> {
    return new Database(await this.#connection.another())
  }

  /** Runs any statement. Parameters that it does not name are ignored. Returns the number of rows that it changed. */
  run(sql: string, parameters: Parameters = {}, planning: Planning = 'prepare'): Promise<number> {
    return this.#connection.run(sql, parameters, planning)
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
    const structure = describeStructure(await this.describe(table))
    await this.run(
      `insert into ${table} by name
       select unnest(from_json($rows::varchar, '${structure}'), recursive := true)`,
      { rows: JSON.stringify(rows) },
    )
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
    const columns = await this.all<{ column_name: string; column_type: string }>(
      `select column_name, column_type from (describe ${table})`,
    )
    return new Map(columns.map(({ column_name, column_type }) => [column_name, column_type]))
  }
}

/** Describes the structure of rows for `from_json`: lists and structs as JSON, other types by name. */
function describeStructure(types: ReadonlyMap<string, string>): string {
  const shape = Object.fromEntries([...types].map(([name, type]) => [name, toShape(type)]))
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
