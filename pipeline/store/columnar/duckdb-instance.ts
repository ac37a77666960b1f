import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { MemoryLimit } from './memory-limit.ts'
import { FIND_STORED, USE_STORED } from './stored-schema.ts'

export interface OpenOptions {
  readOnly?: boolean
  memoryLimit?: string
  threads?: number
  /** Reads the views that analysts see where a name has no schema, and not the stored tables. */
  isForAnalysts?: boolean
}

/** Threads of a database for which no number is named. */
export const THREADS_DEFAULT = 2

/** Opens a file, for which DuckDB may use all memory that it can have until it is limited. */
export async function openInstance(file: string, options: OpenOptions): Promise<DuckDBInstance> {
  return DuckDBInstance.create(file, {
    memory_limit: MemoryLimit.most,
    threads: String(options.threads ?? THREADS_DEFAULT),
    // Publication decides: within a commit, one that needs too much memory would report it as failed.
    checkpoint_threshold: '1000TB',
    ...(file === ':memory:' ? {} : { temp_directory: `${file}.tmp` }),
    ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
  })
}

/** Limits the memory of an open file, by connections of their own: a transaction may be open on the others. */
export function limitMemory(
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
export async function connect(
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
export function isInvalidating(error: unknown): boolean {
  return error instanceof Error && /^(INTERNAL|FATAL) Error/i.test(error.message)
}

/** Tells whether a block of the file has other bytes than were written. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && error.message.includes('Corrupt database file')
}

/** Tells whether opening failed because another process holds the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Could not set lock')
}
