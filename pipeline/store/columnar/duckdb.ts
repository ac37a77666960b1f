import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  JSDuckDBValueConverter,
} from '@duckdb/node-api'
import { Transactions } from '../transactions.ts'
import {
  connect,
  isInvalidating,
  limitMemory,
  type OpenOptions,
  openInstance,
} from './duckdb-instance.ts'
import { createRowMaker, isNamed, type Parameters } from './duckdb-values.ts'
import { isOutOfMemory, type MemoryLimit } from './memory-limit.ts'

/**
 * A columnar database: one file, one connection, and how it stays usable: its transactions, and the file that is opened
 * again after an error that has DuckDB refuse whatever follows. Rows come back as plain JSON values: 64-bit integers
 * as numbers, timestamps as ISO 8601 text, JSON columns parsed.
 *
 * Two rules keep data safe and are easy to break. Nobody in this process may open a file
 * that it writes by another way (that drops the lock; snapshots are copied by a child process). And after an error in
 * a transaction COMMIT would claim success, so `transactions.ts` always rolls back and throws.
 */
export class Database {
  readonly file: string
  readonly #options: OpenOptions
  readonly #transactions: Transactions
  #instance: DuckDBInstance
  #connection: DuckDBConnection
  /** True for the connection that closes the file with itself. */
  readonly #isFirst: boolean
  #memory: MemoryLimit
  #isInvalid = false
  #reopening: Promise<void> | undefined

  private constructor(
    file: string,
    options: OpenOptions,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    isFirst = true,
  ) {
    this.file = file
    this.#options = options
    this.#instance = instance
    this.#connection = connection
    this.#isFirst = isFirst
    this.#memory = limitMemory(instance, options)
    this.#transactions = new Transactions(async sql => {
      if (sql === 'begin') await this.#reopenIfInvalid()
      const run = this.#noteFatalErrors(() => this.#connection.run(sql))
      // After an error by which DuckDB refuses whatever follows, the file is opened again before the next one.
      await (sql === 'rollback' ? run.catch(() => undefined) : run)
    })
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions = {}): Promise<Database> {
    const instance = await openInstance(file, options)
    const opened = new Database(file, options, instance, await connect(instance, options))
    await opened.#memory.lower()
    return opened
  }

  /** Opens another connection to the same file, for reading beside this one; closed before it. */
  async openAnother(): Promise<Database> {
    const connection = await connect(this.#instance, this.#options)
    return new Database(this.file, this.#options, this.#instance, connection, false)
  }

  close(): void {
    this.#connection.closeSync()
    if (this.#isFirst) this.#instance.closeSync()
  }

  /** Runs any statement. Parameters that it does not name are ignored. Returns the number of rows that it changed. */
  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    return (await this.#execute(sql, parameters)).rowsChanged
  }

  /**
   * Runs a statement once for each set of parameters, in a transaction of the caller. It is prepared once, since to
   * plan an insertion takes 5 ms of processor time. Returns the number of rows that it changed.
   */
  async runEach(sql: string, sets: Iterable<Parameters>): Promise<number> {
    let count = 0
    let statement: DuckDBPreparedStatement | undefined
    let running = Promise.resolve(0)
    try {
      // The next set is made while DuckDB works.
      for (const parameters of sets) {
        count += await running
        statement ??= await this.#noteFatalErrors(() => this.#connection.prepare(sql))
        statement.bind({ ...parameters })
        running = this.#noteFatalErrors(statement.run.bind(statement)).then(toRowsChanged)
      }
      return count + (await running)
    } finally {
      await running.catch(() => undefined)
      statement?.destroySync()
    }
  }

  /** Runs a query and returns all rows. */
  async all<Row>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    const result = await this.#execute(sql, parameters)
    const makeRow = createRowMaker<Row>(result)
    // All of it is here: fetching it chunk by chunk would wait for another thread each time.
    return Array.from({ length: result.chunkCount }, (_, n) =>
      result.getChunk(n).convertRows(JSDuckDBValueConverter).map(makeRow),
    ).flat()
  }

  /** Runs a query and returns its first row. */
  async one<Row>(sql: string, parameters: Parameters = {}): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters))[0]
  }

  /** Runs a query that always has a row, such as a count, and returns its first row. */
  async oneOrThrow<Row>(sql: string, parameters: Parameters = {}): Promise<Row> {
    const row = await this.one<Row>(sql, parameters)
    if (row === undefined) throw new Error(`a query that always has a row had none: ${sql}`)
    return row
  }

  /**
   * Streams rows in batches of a few thousand, on a connection of its own, for results that do not fit into
   * memory.
   */
  async *stream<Row>(sql: string, parameters: Parameters = {}): AsyncGenerator<Row[]> {
    const connection = await connect(this.#instance, this.#options)
    try {
      const result = await connection.stream(sql, { ...parameters })
      const makeRow = createRowMaker<Row>(result)
      for await (const rows of result.yieldRowsJs()) yield rows.map(makeRow)
    } finally {
      connection.closeSync()
    }
  }

  /** Runs `work` in a transaction, alone on the connection: it is committed as a whole or rolled back. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#transactions.run(work)
  }

  /** Runs work that goes through whole tables under the highest memory limit. */
  withMostMemory(work: () => Promise<unknown>): Promise<void> {
    return this.#memory.atMost(work)
  }

  /** Tells the types of the columns of a table. */
  async describe(table: string): Promise<ReadonlyMap<string, string>> {
    const columns = await this.all<{ column_name: string; column_type: string }>(
      `select column_name, column_type from (describe ${table})`,
    )
    return new Map(columns.map(({ column_name, column_type }) => [column_name, column_type]))
  }

  /**
   * Opens the file again after an error that has DuckDB refuse whatever follows: what was committed is
   * there. Others than the first connection stay as they are.
   */
  async #reopenIfInvalid(): Promise<void> {
    if (!this.#isInvalid || !this.#isFirst || this.file === ':memory:') return
    this.#reopening ??= (async () => {
      this.close()
      const again = await Database.open(this.file, this.#options)
      this.#instance = again.#instance
      this.#connection = again.#connection
      this.#memory = again.#memory
      this.#isInvalid = false
    })().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
  }

  /** Notes an error after which the file must be opened again. */
  async #noteFatalErrors<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (isInvalidating(error)) this.#isInvalid = true
      throw error
    }
  }

  /** Runs a statement. One that needs more memory than usual is run again with more, but not within a transaction. */
  async #execute(sql: string, parameters: Parameters): Promise<DuckDBMaterializedResult> {
    if (!this.#transactions.isOpen) await this.#reopenIfInvalid()
    const named = Object.entries(parameters).filter(([name]) => isNamed(sql, name))
    const values = named.length > 0 ? Object.fromEntries(named) : undefined
    const execute = () => this.#noteFatalErrors(() => this.#connection.run(sql, values))
    return execute().catch(async error => {
      if (!isOutOfMemory(error) || this.#transactions.isOpen) throw error
      await this.#memory.raise()
      return execute()
    })
  }
}

const toRowsChanged = ({ rowsChanged }: DuckDBMaterializedResult) => rowsChanged
