import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Database, isLocked } from './duckdb.ts'
import { type Aside, copyAside } from './set-aside.ts'

const OPTIONS = { memoryLimit: '16MB', threads: 1 } as const

/**
 * Leases of this process by file. DuckDB's lock keeps other processes out; this keeps out a second taker in this
 * one, and holds on to each lease: one that nobody refers to would be collected as garbage, and its lock released.
 */
const held = new Map<string, Lease>()

/**
 * Permission to write. The lease is the lock that DuckDB's file system layer holds on a tiny file
 * of its own: the kernel grants it to one process and releases it when that process dies. The file
 * is never copied or read while the lock is held, so the lock cannot be lost the way a copy of the
 * index would lose the index's.
 */
export class Lease {
  readonly #db: Database

  private constructor(db: Database) {
    this.#db = db
    held.set(db.file, this)
  }

  /** Takes the lease; undefined when another process holds it. A damaged file is replaced: it contains no facts. */
  static async take(file: string, aside?: Aside): Promise<Lease | undefined> {
    if (held.has(file)) return undefined
    try {
      return new Lease(await Database.open(file, OPTIONS))
    } catch (error) {
      if (isLocked(error)) return undefined
      if (aside === undefined || !isDamage(error)) throw error
      copyAside(aside, file, 'it cannot be read')
      await writeAnew(file)
      return Lease.take(file)
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

/** Tells whether the file could be opened and is no lease, which replacing it repairs. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && !/Cannot open file|No space|Read-only/i.test(error.message)
}

/**
 * Writes into the same file, which keeps its place on the disk: two processes that mend it at once still
 * lock one and the same.
 */
async function writeAnew(file: string): Promise<void> {
  const fresh = `${file}.${process.pid}`
  const made = await Database.open(fresh, OPTIONS)
  made.close()
  rmSync(`${file}.wal`, { force: true })
  writeFileSync(file, readFileSync(fresh))
  rmSync(fresh)
}
