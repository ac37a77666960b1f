import { Database, isLocked } from './duckdb.ts'

/** DuckDB's lock keeps other processes out; this keeps out a second taker in this one. */
const held = new Set<string>()

/**
 * Who may write. The lease is the lock that DuckDB's file system layer holds on a tiny file of its
 * own: the kernel gives it to one process and takes it back when that process dies, however it dies.
 * Nobody ever copies or reads that file, so the lock cannot be lost the way a copy of the index
 * would lose the index's.
 */
export class Lease {
  readonly #db: Database

  private constructor(db: Database) {
    this.#db = db
    held.add(db.file)
  }

  /** Undefined when another process holds it. */
  static async take(file: string): Promise<Lease | undefined> {
    if (held.has(file)) return undefined
    try {
      return new Lease(await Database.open(file, { memoryLimit: '16MB', threads: 1 }))
    } catch (error) {
      if (isLocked(error)) return undefined
      throw error
    }
  }

  static async isHeld(file: string): Promise<boolean> {
    const lease = await Lease.take(file)
    lease?.release()
    return lease === undefined
  }

  release(): void {
    held.delete(this.#db.file)
    this.#db.close()
  }
}
