import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  DuckDBTypeId,
  JSDuckDBValueConverter,
} from '@duckdb/node-api'
import { createRowMaker, describeStructure } from './duckdb-values.ts'
import { syncPath } from './fsync.ts'
import { chunkRows, parseRows } from './row-texts.ts'
import { StatementCache } from './statement-cache.ts'
import { TableVersions } from './table-versions.ts'
import { Transactions } from './transactions.ts'

export type Parameter = string | number | boolean | null
export type Parameters = Readonly<Record<string, Parameter>>
export type Cell = Parameter | undefined

/**
 * Size of the log at which DuckDB checkpoints by itself. The log is held in memory too, and the larger
 * it is, the longer takes the commit that checkpoints it.
 */
export const CHECKPOINT_AT = '64MB'

/**
 * Choice between preparing a statement and using its cached plan. DuckDB leaves out of a plan what
 * no present row can reach, and never looks again: so only an insert of given rows, or a query of one
 * table that compares with nothing but parameters, may be `cached`.
 */
export type Planning = 'prepare' | 'cached'

export interface OpenOptions {
  readOnly?: boolean
  memoryLimit?: string
  threads?: number
}

const THREADS = 2

/**
 * The one door to DuckDB: one file, one connection. Rows come back as plain JSON values: 64-bit
 * integers as numbers, timestamps as ISO 8601 text, JSON columns parsed.
 *
 * Two rules keep data safe and are easy to break. Nobody in this process may open a file
 * that it writes by another way (that drops the lock; snapshots are copied by a child process). And after an error in
 * a transaction COMMIT would claim success, so `transactions.ts` always rolls back and throws.
 */
export class Database {
  readonly file: string
  readonly #options: OpenOptions
  #instance: DuckDBInstance
  #connection: DuckDBConnection
  #plans: StatementCache<DuckDBPreparedStatement>
  /** The columns of tables that were written. */
  readonly #types = new Map<string, [column: string, type: string][]>()
  /** Versions of the tables that this process wrote; nobody else writes to the file. */
  readonly written = new TableVersions()
  /** True for the connection that closes the file with itself. */
  readonly #isFirst: boolean
  #threads: number
  /** Set after an error that has DuckDB refuse whatever follows. */
  #isInvalid = false
  #reopening: Promise<void> | undefined
  readonly #transactions = new Transactions(
    async sql => {
      if (sql === 'begin') await this.#revive()
      await this.#noting(() => this.#connection.run(sql))
    },
    () => this.written.noteAll(),
  )

  private constructor(
    file: string,
    options: OpenOptions,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    isFirst = true,
  ) {
    this.#isFirst = isFirst
    this.file = file
    this.#options = options
    this.#threads = options.threads ?? THREADS
    this.#instance = instance
    this.#connection = connection
    this.#plans = new StatementCache(sql => connection.prepare(sql))
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions = {}): Promise<Database> {
    const instance = await DuckDBInstance.create(file, {
      memory_limit: options.memoryLimit ?? '512MB',
      threads: String(options.threads ?? THREADS),
      ...(file === ':memory:' ? {} : { temp_directory: `${file}.tmp` }),
      ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
    })
    const connection = await instance.connect()
    await connection.run("set TimeZone = 'UTC'")
    await connection.run(`set checkpoint_threshold = '${CHECKPOINT_AT}'`)
    return new Database(file, options, instance, connection)
  }

  /** Opens another connection to the same file, for reading beside this one; closed before it. */
  async another(): Promise<Database> {
    const connection = await this.#instance.connect()
    await connection.run("set TimeZone = 'UTC'")
    return new Database(this.file, this.#options, this.#instance, connection, false)
  }

  /**
   * Runs any statement: whatever is cached of any table is forgotten. Parameters that the statement does
   * not name are left aside.
   */
  run(sql: string, parameters: Parameters = {}): Promise<number> {
    this.written.noteAll()
    return this.#runWriting(sql, parameters, 'prepare')
  }

  /** Runs a statement that writes this table and no other: `rest` follows its name. Returns the number of rows. */
  write(
    verb: 'insert into' | 'update' | 'delete from',
    table: string,
    rest = '',
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<number> {
    if (verb === 'update') this.written.noteUpdate(table)
    else this.written.note(table)
    return this.#runWriting(`${verb} ${table} ${rest}`, parameters, planning)
  }

  /** Runs a statement that writes temporary tables alone, or none. */
  runTemporary(sql: string, parameters: Parameters = {}): Promise<number> {
    return this.#runWriting(sql, parameters, 'prepare')
  }

  async #runWriting(sql: string, parameters: Parameters, planning: Planning): Promise<number> {
    await this.#transactions.beforeWriting()
    const result = await this.#execute(sql, parameters, planning)
    return Number(result.rowsChanged)
  }

  async all<Row>(
    sql: string,
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<Row[]> {
    const result = await this.#execute(sql, parameters, planning)
    const makeRow = createRowMaker<Row>(result)
    // All of it is here: fetching it chunk by chunk would wait for another thread each time.
    return Array.from({ length: result.chunkCount }, (_, n) =>
      result.getChunk(n).convertRows(JSDuckDBValueConverter).map(makeRow),
    ).flat()
  }

  async one<Row>(
    sql: string,
    parameters: Parameters = {},
    planning: Planning = 'prepare',
  ): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters, planning))[0]
  }

  /**
   * Reads these columns of all rows of `from` as text, nulls as empty texts, for a tenth of what many small
   * rows cost one by one. No value may hold one of the two separators. The rows can be iterated once. A
   * substring of one keeps all of them in memory (`detach`).
   */
  async texts(
    columns: readonly string[],
    from: string,
    parameters: Parameters = {},
    order?: string,
  ): Promise<Iterable<string[]>> {
    return parseRows(await this.text(columns, from, parameters, order))
  }

  /** Reads a result in one piece, for a reader that makes no text of each cell. */
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
   * Streams rows in batches of a few thousand, on a connection of its own: for answers that are larger than
   * the memory they may take.
   */
  async *stream<Row>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    const connection = await this.#instance.connect()
    try {
      await connection.run("set TimeZone = 'UTC'")
      const result = await connection.stream(sql, { ...parameters })
      const makeRow = createRowMaker<Row>(result)
      for await (const rows of result.yieldRowsJs()) yield rows.map(makeRow)
    } finally {
      connection.closeSync()
    }
  }

  /** Runs `work` alone on the connection; all of it is kept, or nothing. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#transactions.whole(work)
  }

  /** Runs work that mostly writes nothing, and one statement that ends it, in a transaction. */
  transactionEnding(work: () => Promise<void>, last: () => Promise<void>): Promise<void> {
    return this.#transactions.ending(work, last)
  }

  /**
   * Sets the number of threads of later statements: for little work a second one costs more than it
   * gains.
   */
  async useThreads(threads: number): Promise<void> {
    if (threads === this.#threads) return
    await this.#revive()
    await this.#connection.run(`set threads = ${threads}`)
    this.#threads = threads
  }

  /** Inserts rows of JSON values, each keyed by column name; absent keys become null. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return
    this.written.note(table)
    await this.#transactions.beforeWriting()
    const structure = await this.#describeStructure(table)
    const insert = (from: string, rowsJson: string) =>
      this.#execute(
        `insert into ${table} by name select unnest(${from})`,
        { rows: rowsJson },
        'cached',
      )
    if (rows.length === 1) {
      // Without a list the plan of a row is a shorter one.
      await insert(
        `from_json($rows::varchar, '${structure.slice(1, -1)}')`,
        JSON.stringify(rows[0]),
      )
      return
    }
    const list = `from_json($rows::varchar, '${structure}'), recursive := true`
    for (const text of chunkRows(rows)) await insert(list, text)
  }

  /** Writes these columns of rows that are there, by a column in which no two of them are the same. */
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

  /** Appends flat rows to a table of varchar, double and boolean columns: the fastest way in. */
  async append(table: string, rows: Iterable<readonly Cell[]>): Promise<void> {
    this.written.note(table)
    await this.#transactions.beforeWriting()
    const appender = await this.#connection.createAppender(table)
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
    await this.#openAgain()
  }

  async #openAgain(): Promise<void> {
    const again = await Database.open(this.file, this.#options)
    this.#instance = again.#instance
    this.#connection = again.#connection
    this.#plans = again.#plans
    this.#threads = again.#threads
  }

  /**
   * Opens the file again after an error that has DuckDB refuse whatever follows: what was committed is
   * there. Others than the first connection stay as they are.
   */
  async #revive(): Promise<void> {
    if (!this.#isInvalid || !this.#isFirst || this.file === ':memory:') return
    this.#reopening ??= (async () => {
      this.close()
      await this.#openAgain()
      this.written.noteAll()
      this.#isInvalid = false
    })().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
  }

  close(): void {
    this.#connection.closeSync()
    if (this.#isFirst) this.#instance.closeSync()
  }

  async #execute(
    sql: string,
    parameters: Parameters,
    planning: Planning,
  ): Promise<DuckDBMaterializedResult> {
    if (!this.#transactions.isOpen) await this.#revive()
    return this.#noting(() => this.#executeOnce(sql, parameters, planning))
  }

  /** Notes an error after which the file must be opened again. */
  async #noting<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (isInvalidating(error)) this.#isInvalid = true
      throw error
    }
  }

  async #executeOnce(
    sql: string,
    parameters: Parameters,
    planning: Planning,
  ): Promise<DuckDBMaterializedResult> {
    if (planning === 'cached') {
      return this.#plans.use(sql, statement => {
        bindAs(statement, parameters)
        return statement.run()
      })
    }
    const named = Object.entries(parameters).filter(([name]) => isNamed(sql, name))
    if (named.length === 0) return this.#connection.run(sql)
    const statement = await this.#connection.prepare(sql)
    try {
      statement.bind(Object.fromEntries(named))
      return await statement.run()
    } finally {
      statement.destroySync()
    }
  }

  /** Describes the JSON structure of a table's rows, with all columns or some. */
  async #describeStructure(table: string, some?: readonly string[]): Promise<string> {
    const types = this.#types.get(table) ?? (await this.#readTypes(table))
    this.#types.set(table, types)
    return describeStructure(some ? types.filter(([column]) => some.includes(column)) : types)
  }

  async #readTypes(table: string): Promise<[column: string, type: string][]> {
    const columns = await this.all<{ column_name: string; data_type: string }>(
      'select column_name, data_type from duckdb_columns() where table_name = $table',
      { table },
    )
    return columns.map(({ column_name, data_type }) => [column_name, data_type])
  }
}

/** Tells whether a statement has a parameter; parameters that it lacks are dropped. */
function isNamed(sql: string, name: string): boolean {
  const at = sql.indexOf(`$${name}`)
  return at >= 0 && new RegExp(`\\$${name}(?!\\w)`).test(sql)
}

/** Binds numbers as the type that is planned for; another one would have the statement planned again. */
function bindAs(statement: DuckDBPreparedStatement, parameters: Parameters): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    const value = parameters[statement.parameterName(index)]!
    if (typeof value !== 'number') statement.bindValue(index, value)
    else if (statement.parameterTypeId(index) === DuckDBTypeId.BIGINT) {
      statement.bindBigInt(index, BigInt(value))
    } else statement.bindDouble(index, value)
  }
}

/** Tells whether DuckDB refuses every statement after this error, until the file is opened again. */
function isInvalidating(error: unknown): boolean {
  return error instanceof Error && /^(INTERNAL|FATAL) Error/i.test(error.message)
}

/** Tells whether opening failed because another process holds the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Could not set lock')
}

/** Builds SQL that reads a list from one parameter: `where x in (select unnest(${toListExpression('$xs')}))`. */
export function toListExpression(parameter: string): string {
  return `from_json(${parameter}::varchar, '["VARCHAR"]')`
}
