import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Aside, copyAside } from './set-aside.ts'

const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/**
 * Leases of this process by file. The kernel's lock keeps other processes out; this keeps out a second taker in this
 * one, and holds on to each lease: one that nobody refers to would be collected as garbage, and its lock released.
 */
const held = new Map<string, Lease>()

/**
 * Permission to write. The lease is SQLite's exclusive lock on an empty file of its own: the kernel grants it to one
 * process and releases it when that process dies. Nothing is ever written to it, nor beside it.
 */
export class Lease {
  readonly #file: string
  readonly #db: DatabaseSync

  private constructor(file: string, db: DatabaseSync) {
    this.#file = file
    this.#db = db
    held.set(file, this)
  }

  /** Takes the lease; undefined when another process holds it. A damaged file is emptied: it contains no facts. */
  static async take(file: string, aside?: Aside): Promise<Lease | undefined> {
    if (held.has(file)) return undefined
    const db = new DatabaseSync(file)
    try {
      db.exec('pragma journal_mode = memory; begin exclusive')
      return new Lease(file, db)
    } catch (error) {
      db.close()
      const { errcode } = error as { errcode?: number }
      if (errcode === SQLITE_BUSY) return undefined
      const isDamaged = errcode === SQLITE_NOTADB || errcode === SQLITE_CORRUPT
      if (aside === undefined || !isDamaged) throw error
      copyAside(aside, file, 'it cannot be read')
      // The file keeps its place on the disk: two processes that mend it at once still lock one and the same.
      truncateSync(file)
      return Lease.take(file)
    }
  }

  static async isHeld(file: string): Promise<boolean> {
    const lease = await Lease.take(file)
    lease?.release()
    return lease === undefined
  }

  release(): void {
    if (!this.#db.isOpen) return
    held.delete(this.#file)
    this.#db.close()
  }
}
