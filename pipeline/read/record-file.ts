import { statSync } from 'node:fs'
import type { Paths } from '../store/paths.ts'
import { isOfThisVersion } from '../store/record.ts'
import { Sqlite } from '../store/sqlite.ts'

/** Follows the file of private rows, which a restore replaces by another one. Nothing is written here. */
export class RecordFile {
  readonly #paths: Paths
  #open: { db: Sqlite; inode: number } | undefined

  constructor(paths: Paths) {
    this.#paths = paths
  }

  /** Returns the open file; undefined until there is one that this version wrote. */
  get db(): Sqlite | undefined {
    return this.#open?.db
  }

  /** Opens the file if it was replaced since the last call. Throws if it cannot be opened. */
  refresh(): void {
    const found = statSync(this.#paths.record, { throwIfNoEntry: false })
    if (found?.ino === this.#open?.inode) return
    this.close()
    if (found === undefined) return
    const db = Sqlite.open(this.#paths.record, { readOnly: true })
    if (isOfThisVersion(db)) this.#open = { db, inode: found.ino }
    else db.close()
  }

  close(): void {
    this.#open?.db.close()
    this.#open = undefined
  }
}
