import {
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  JSDuckDBValueConverter,
  StatementType,
} from '@duckdb/node-api'
import { Transactions } from '../transactions.ts'
import {
  connect,
  isInvalidating,
  limitMemory,
  type OpenOptions,
  openInstance,
} from './duckdb-instance.ts'
import { bindAs, createRowMaker, isNamed, type Parameters } from './duckdb-values.ts'
import { isOutOfMemory, type MemoryLimit } from './memory-limit.ts'
import { StatementCache } from './statement-cache.ts'

/**
 * Choice between preparing a statement and using its cached plan. DuckDB leaves out of a plan what
 * no present row can reach, and never looks again: so only an insert of given rows, or a query of one
 * table that compares with nothing but parameters, may be `cached`.
 */
export type Planning = 'prepare' | 'cached'

/**
 * One connection to one file, and how it stays usable: its transactions, its prepared statements, and
 * the file that is opened again after an error that has DuckDB refuse whatever follows.
 *
 * Two rules keep data safe and are easy to break. Nobody in this process may open a file
 * that it writes by another way (that drops the lock; snapshots are copied by a child process). And after an error in
 * a transaction COMMIT would claim success, so `transactions.ts` always rolls back and throws.
 */
export class Connection {
  readonly file: string
  readonly options: OpenOptions
  readonly transactions: Transactions
  #instance: DuckDBInstance
  #connection: DuckDBConnection
  #plans: StatementCache<DuckDBPreparedStatement>
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
    this.options = options
    this.#instance = instance
    this.#connection = connection
    this.#isFirst = isFirst
    this.#memory = limitMemory(instance, options)
    this.#plans = new StatementCache(sql => connection.prepare(sql))
    this.transactions = new Transactions(async sql => {
      if (sql === 'begin') await this.#reopenIfInvalid()
      const run = this.#noteFatalErrors(() => this.#connection.run(sql))
      // After an error by which DuckDB refuses whatever follows, the file is opened again before the next one.
      await (sql === 'rollback' ? run.catch(() => undefined) : run)
    })
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions): Promise<Connection> {
    const instance = await openInstance(file, options)
    const connection = await connect(instance, options)
    const opened = new Connection(file, options, instance, connection)
    await opened.#memory.lower()
    return opened
  }

  /** Opens another connection to the same file; closed before this one. */
  async another(): Promise<Connection> {
    const connection = await connect(this.#instance, this.options)
    return new Connection(this.file, this.options, this.#instance, connection, false)
  }

  /** Opens the file again, which was closed. */
  async reopen(): Promise<void> {
    const again = await Connection.open(this.file, this.options)
    this.#instance = again.#instance
    this.#connection = again.#connection
    this.#plans = again.#plans
    this.#memory = again.#memory
  }

  close(): void {
    this.#connection.closeSync()
    if (this.#isFirst) this.#instance.closeSync()
  }

  /** Runs work that goes through whole tables under the highest memory limit. */
  withMostMemory(work: () => Promise<unknown>): Promise<void> {
    return this.#memory.atMost(work)
  }

  /** Runs a statement; returns the number of rows that it changed, or of a table that it created from a query. */
  async run(sql: string, parameters: Parameters, planning: Planning): Promise<number> {
    return countRows(await this.#execute(sql, parameters, planning))
  }

  /** Runs a query; returns its rows. */
  async query<Row>(sql: string, parameters: Parameters, planning: Planning): Promise<Row[]> {
    const result = await this.#execute(sql, parameters, planning)
    const makeRow = createRowMaker<Row>(result)
    // All of it is here: fetching it chunk by chunk would wait for another thread each time.
    return Array.from({ length: result.chunkCount }, (_, n) =>
      result.getChunk(n).convertRows(JSDuckDBValueConverter).map(makeRow),
    ).flat()
  }

  /** Streams rows in batches, on a connection of its own. */
  async *stream<Row>(sql: string, parameters: Parameters): AsyncGenerator<Row[]> {
    const connection = await connect(this.#instance, this.options)
    try {
      const result = await connection.stream(sql, { ...parameters })
      const makeRow = createRowMaker<Row>(result)
      for await (const rows of result.yieldRowsJs()) yield rows.map(makeRow)
    } finally {
      connection.closeSync()
    }
  }

  /**
   * Opens the file again after an error that has DuckDB refuse whatever follows: what was committed is
   * there. Others than the first connection stay as they are.
   */
  async #reopenIfInvalid(): Promise<void> {
    if (!this.#isInvalid || !this.#isFirst || this.file === ':memory:') return
    this.#reopening ??= (async () => {
      this.close()
      await this.reopen()
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
  async #execute(
    sql: string,
    parameters: Parameters,
    planning: Planning,
  ): Promise<DuckDBMaterializedResult> {
    if (!this.transactions.isOpen) await this.#reopenIfInvalid()
    const execute = () => this.#noteFatalErrors(() => this.#executeOnce(sql, parameters, planning))
    return execute().catch(async error => {
      if (!isOutOfMemory(error) || this.transactions.isOpen) throw error
      await this.#memory.raise()
      return execute()
    })
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
}

/** Counts the rows that a statement wrote. Those of a table created from a query do not count as changed in DuckDB. */
function countRows(result: DuckDBMaterializedResult): number {
  const isCreated = result.statementType === StatementType.CREATE && result.chunkCount > 0
  return Number(isCreated ? result.getChunk(0).getColumnValues(0)[0] : result.rowsChanged)
}
