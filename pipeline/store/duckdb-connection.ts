import { statSync } from 'node:fs'
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  JSDuckDBValueConverter,
} from '@duckdb/node-api'
import { bindAs, type Cell, createRowMaker, isNamed, type Parameters } from './duckdb-values.ts'
import { isOutOfMemory, MemoryLimit } from './memory-limit.ts'
import { StatementCache } from './statement-cache.ts'
import { FIND_STORED, USE_STORED } from './stored-schema.ts'
import { Transactions } from './transactions.ts'

/**
 * Bytes of the log at which it is written into the file: after a commit, by a checkpoint. The log is held in
 * memory too, and the larger it is, the longer that takes.
 */
const CHECKPOINT_AT = 64e6
/** DuckDB does not checkpoint by itself: one that needs too much memory fails the commit that was durable before. */
const NEVER = '1000TB'

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
  /** Reads the views that analysts see where a name has no schema, and not the stored tables. */
  isForAnalysts?: boolean
}

/** Threads of a database for which no number is named. */
const THREADS_DEFAULT = 2

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
  /** Called when rows that were read before may have changed by more than what was run. */
  readonly #forget: () => void
  /** True for the connection that closes the file with itself. */
  readonly #isFirst: boolean
  #threads: number
  #memory: MemoryLimit
  /** Bytes of the log at which the next checkpoint is tried. */
  #checkpointAt = CHECKPOINT_AT
  #isFrozen = false
  #isInvalid = false
  #reopening: Promise<void> | undefined

  private constructor(
    file: string,
    options: OpenOptions,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    forget: () => void,
    isFirst = true,
  ) {
    this.file = file
    this.options = options
    this.#instance = instance
    this.#connection = connection
    this.#forget = forget
    this.#isFirst = isFirst
    this.#threads = options.threads ?? THREADS_DEFAULT
    this.#memory = limitMemory(instance, options)
    this.#plans = new StatementCache(sql => connection.prepare(sql))
    this.transactions = new Transactions(async sql => {
      if (sql === 'begin') await this.#revive()
      await this.#noting(() => this.#connection.run(sql)).catch(error => this.#needMore(error))
      if (sql === 'commit') await this.#checkpointIfLarge()
    }, forget)
  }

  /** Throws when another process has the file open for writing (`isLocked` tells). */
  static async open(file: string, options: OpenOptions, forget: () => void): Promise<Connection> {
    const instance = await DuckDBInstance.create(file, {
      memory_limit: MemoryLimit.most,
      threads: String(options.threads ?? THREADS_DEFAULT),
      ...(file === ':memory:' ? {} : { temp_directory: `${file}.tmp` }),
      ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
    })
    const connection = await connect(instance, options)
    await connection.run(`set checkpoint_threshold = '${NEVER}'`)
    const opened = new Connection(file, options, instance, connection, forget)
    await opened.#memory.lower()
    return opened
  }

  /** Opens another connection to the same file; closed before this one. */
  async another(forget: () => void): Promise<Connection> {
    const connection = await connect(this.#instance, this.options)
    return new Connection(this.file, this.options, this.#instance, connection, forget, false)
  }

  /** Opens the file again, which was closed. */
  async reopen(): Promise<void> {
    const again = await Connection.open(this.file, this.options, this.#forget)
    this.#instance = again.#instance
    this.#connection = again.#connection
    this.#plans = again.#plans
    this.#threads = again.#threads
    this.#memory = again.#memory
  }

  close(): void {
    this.#connection.closeSync()
    if (this.#isFirst) this.#instance.closeSync()
  }

  /** Writes the log into the file, which then stays as it is until `isFrozen` is false again. */
  async freeze(): Promise<void> {
    await this.#memory.atMost(() => this.#noting(() => this.#connection.run('checkpoint')))
    this.#isFrozen = true
  }

  /** Ends `freeze`. */
  unfreeze(): void {
    this.#isFrozen = false
  }

  /** Sets the number of threads of later statements. */
  async useThreads(threads: number): Promise<void> {
    if (threads === this.#threads) return
    await this.#revive()
    await this.#connection.run(`set threads = ${threads}`)
    this.#threads = threads
  }

  /** Runs a statement; returns the number of rows that it changed. */
  async run(sql: string, parameters: Parameters, planning: Planning): Promise<number> {
    await this.transactions.beforeWriting()
    const result = await this.#execute(sql, parameters, planning)
    if (!this.transactions.isOpen) await this.#checkpointIfLarge()
    return Number(result.rowsChanged)
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
   * Appends flat rows to a table of varchar, double and boolean columns: a temporary one, or one of the
   * schema that is named.
   */
  async append(table: string, rows: Iterable<readonly Cell[]>, schema?: string): Promise<void> {
    await this.transactions.beforeWriting()
    const appender = await this.#connection.createAppender(table, schema)
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
   * Opens the file again after an error that has DuckDB refuse whatever follows: what was committed is
   * there. Others than the first connection stay as they are.
   */
  async #revive(): Promise<void> {
    if (!this.#isInvalid || !this.#isFirst || this.file === ':memory:') return
    this.#reopening ??= (async () => {
      this.close()
      await this.reopen()
      this.#forget()
      this.#isInvalid = false
    })().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
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

  /**
   * Runs a statement. One that needs more memory than usual is run again with more; in a transaction, which
   * cannot continue, it fails, and the next time it has more.
   */
  async #execute(
    sql: string,
    parameters: Parameters,
    planning: Planning,
  ): Promise<DuckDBMaterializedResult> {
    if (!this.transactions.isOpen) await this.#revive()
    const execute = () => this.#noting(() => this.#executeOnce(sql, parameters, planning))
    return execute().catch(async error => {
      await this.#needMore(error)
      return execute()
    })
  }

  /** Raises the memory limit after an error that asks for it. Throws it where its work cannot be repeated here. */
  async #needMore(error: unknown): Promise<void> {
    const isRaised = isOutOfMemory(error) && (await this.#memory.raise())
    if (!isRaised || this.transactions.isOpen) throw error
  }

  /**
   * Writes a large log into the file. Where that fails, what was committed is durable all the same, and it is tried
   * again when the log is twice as long.
   */
  async #checkpointIfLarge(): Promise<void> {
    if (this.#isFrozen || !this.#isFirst) return
    const log = statSync(`${this.file}.wal`, { throwIfNoEntry: false })
    if (log === undefined || log.size < this.#checkpointAt) return
    try {
      await this.#memory.atMost(() => this.#noting(() => this.#connection.run('checkpoint')))
      this.#checkpointAt = CHECKPOINT_AT
    } catch {
      this.#checkpointAt = log.size * 2
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
}

/** Limits the memory of an open file, by connections of their own: a transaction may be open on the others. */
function limitMemory(
  instance: DuckDBInstance,
  { memoryLimit = '512MB' }: OpenOptions,
): MemoryLimit {
  return new MemoryLimit(memoryLimit, async limit => {
    const connection = await instance.connect()
    try {
      await connection.run(`set memory_limit = '${limit}'`)
    } finally {
      connection.closeSync()
    }
  })
}

/** Connects to an open file; times are in UTC, and names those of stored tables where the file has them. */
async function connect(
  instance: DuckDBInstance,
  { isForAnalysts }: OpenOptions,
): Promise<DuckDBConnection> {
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  if (isForAnalysts) return connection
  const stored = await connection.runAndReadAll(FIND_STORED)
  if (stored.currentRowCount > 0) await connection.run(USE_STORED)
  return connection
}

/** Tells whether DuckDB refuses every statement after this error, until the file is opened again. */
function isInvalidating(error: unknown): boolean {
  return error instanceof Error && /^(INTERNAL|FATAL) Error/i.test(error.message)
}

/** Tells whether opening failed because another process holds the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Could not set lock')
}
