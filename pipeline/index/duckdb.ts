import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api'
import { syncPath } from './durable.ts'

export type Parameter = string | number | boolean | null
export type Parameters = Readonly<Record<string, Parameter>>
export type Cell = Parameter | undefined

export interface OpenOptions {
  readOnly?: boolean
  memoryLimit?: string
  threads?: number
}

/**
 * The one door to DuckDB: one file, one connection. Rows come back as plain JSON values: 64-bit
 * integers as numbers, timestamps as ISO 8601 text, JSON columns parsed.
 *
 * Two rules keep data safe and are easy to break. Nobody in this process may open the file by
 * another way (that drops the lock; snapshots are copied by a child process). And after an error in
 * a transaction COMMIT would claim success, so `transaction` always rolls back and throws.
 */
export class Database {
  readonly file: string
  readonly #options: OpenOptions
  #instance: DuckDBInstance
  #connection: DuckDBConnection
  readonly #structures = new Map<string, string>()
  #queue: Promise<unknown> = Promise.resolve()

  private constructor(
    file: string,
    options: OpenOptions,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
  ) {
    this.file = file
    this.#options = options
    this.#instance = instance
    this.#connection = connection
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions = {}): Promise<Database> {
    const instance = await DuckDBInstance.create(file, {
      memory_limit: options.memoryLimit ?? '512MB',
      threads: String(options.threads ?? 2),
      ...(file === ':memory:' ? {} : { temp_directory: `${file}.tmp` }),
      ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
    })
    const connection = await instance.connect()
    await connection.run("set TimeZone = 'UTC'")
    await connection.run("set checkpoint_threshold = '256MB'")
    return new Database(file, options, instance, connection)
  }

  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    const result = await this.#connection.run(sql, { ...parameters })
    return Number(result.rowsChanged)
  }

  async all<Row>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    const reader = await this.#connection.runAndReadAll(sql, { ...parameters })
    return reader.getRowsJS().map(rowMaker<Row>(reader))
  }

  async one<Row>(sql: string, parameters: Parameters = {}): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters))[0]
  }

  /**
   * Rows as they are found, a few thousand at a time, on a connection of its own: for answers that are
   * larger than the memory they may take.
   */
  async *stream<Row>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    const connection = await this.#instance.connect()
    try {
      await connection.run("set TimeZone = 'UTC'")
      const result = await connection.stream(sql, { ...parameters })
      const rowOf = rowMaker<Row>(result)
      for await (const rows of result.yieldRowsJs()) yield rows.map(rowOf)
    } finally {
      connection.closeSync()
    }
  }

  /** Runs `work` alone on the connection; all of it is kept, or nothing. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(async () => {
      await this.run('begin')
      try {
        const result = await work()
        await this.run('commit')
        return result
      } catch (error) {
        await this.run('rollback').catch(() => undefined)
        throw error
      }
    })
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  /** Inserts rows of JSON values, each keyed by column name; absent keys become null. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return
    const structure = await this.#structureOf(table)
    for (let start = 0; start < rows.length; start += 10_000) {
      await this.run(
        `insert into ${table} by name
         select unnest(from_json($rows::json, '${structure}'), recursive := true)`,
        { rows: JSON.stringify(rows.slice(start, start + 10_000)) },
      )
    }
  }

  /** Appends flat rows to a table of varchar, double and boolean columns: the fastest way in. */
  append(table: string, rows: Iterable<readonly Cell[]>): Promise<void> {
    return this.#connection.createAppender(table).then(appender => {
      for (const row of rows) {
        for (const cell of row) {
          if (typeof cell === 'string') appender.appendVarchar(cell)
          else if (typeof cell === 'number') appender.appendDouble(cell)
          else if (typeof cell === 'boolean') appender.appendBoolean(cell)
          else appender.appendNull()
        }
        appender.endRow()
      }
      appender.closeSync()
    })
  }

  /**
   * Writes the file anew, so that nothing can be read in it that was deleted; `create` makes the tables
   * of the new one. Nobody may use the database meanwhile.
   */
  async compact(create: (fresh: Database) => Promise<void>): Promise<void> {
    const path = `${this.file}.new`
    for (const old of [path, `${path}.wal`]) rmSync(old, { force: true })
    const fresh = await Database.open(path, this.#options)
    await create(fresh)
    fresh.close()
    const tables = await this.all<{ name: string; whole: string }>(
      `select table_name as name, format('"{}"."main"."{}"', database_name, table_name) as whole
       from duckdb_tables() where database_name = current_database() and not temporary`,
    )
    await this.run(`attach '${path.replaceAll("'", "''")}' as fresh`)
    for (const { name, whole } of tables) {
      await this.run(`insert into fresh.main."${name}" by name from ${whole}`)
    }
    await this.run('checkpoint fresh')
    await this.run('detach fresh')
    this.close()
    rmSync(`${this.file}.wal`, { force: true })
    renameSync(path, this.file)
    syncPath(dirname(this.file))
    const again = await Database.open(this.file, this.#options)
    this.#instance = again.#instance
    this.#connection = again.#connection
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }

  async #structureOf(table: string): Promise<string> {
    const known = this.#structures.get(table)
    if (known !== undefined) return known
    const columns = await this.all<{ column_name: string; data_type: string }>(
      'select column_name, data_type from duckdb_columns() where table_name = $table',
      { table },
    )
    const types = columns.map(({ column_name, data_type }) => [column_name, data_type])
    const structure = structureText(types as [string, string][])
    this.#structures.set(table, structure)
    return structure
  }
}

/** Makes rows of a result's values: one member a column. */
function rowMaker<Row>(result: Pick<DuckDBResult, 'columnNames' | 'columnTypes'>) {
  const names = result.columnNames()
  const json = result.columnTypes().map(type => type.alias === 'JSON')
  return (values: readonly unknown[]): Row => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) {
      const value = values[i]
      row[names[i]!] = json[i] && typeof value === 'string' ? JSON.parse(value) : plain(value)
    }
    return row as Row
  }
}

/** The shape text of from_json: lists of structs are spelled as JSON, other types by name. */
function structureText(columns: [string, string][]): string {
  const shape = Object.fromEntries(columns.map(([name, type]) => [name, shapeOf(type)]))
  return JSON.stringify([shape]).replaceAll("'", "''")
}

function shapeOf(type: string): unknown {
  const list = /^(.*)\[\]$/.exec(type)
  if (list) return [shapeOf(list[1]!)]
  const struct = /^STRUCT\((.*)\)$/.exec(type)
  if (!struct) return type
  const members = [...struct[1]!.matchAll(/"?(\w+)"? (\w+)/g)]
  return Object.fromEntries(members.map(([, name, member]) => [name, member]))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  return value
}

/** Whether opening failed because another process holds the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Could not set lock')
}

/** A list of values as one parameter: `where x in (select unnest(${listOf('$xs')}))`. */
export function listOf(parameter: string): string {
  return `from_json(${parameter}::json, '["VARCHAR"]')`
}
