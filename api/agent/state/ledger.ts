import type { Database, Key } from 'lmdb'
import type { Instant } from '../../../pipeline/core/clock.ts'

/** The bytes of one record, and its owner. */
export interface Holding {
  owner: string
  at: Instant
  key: readonly string[]
  bytes: number
}

const HIGHEST_CHARACTER = '\u{10ffff}'

/**
 * Counts the bytes of each owner's records, and finds those that were written longest ago. Its entries are
 * written in the same transactions as the records.
 */
export class Ledger {
  readonly #totals: Database<number, string>
  readonly #holdings: Database<number, Key[]>

  /** Takes the stores: bytes by owner, and the bytes of each record by owner, time and key. */
  constructor(totals: Database<number, string>, holdings: Database<number, Key[]>) {
    this.#totals = totals
    this.#holdings = holdings
  }

  /** Counts the bytes of all records of an owner. */
  count(owner: string): number {
    return this.#totals.get(owner) ?? 0
  }

  add({ owner, at, key, bytes }: Holding): void {
    this.#holdings.putSync([owner, at, ...key], bytes)
    this.#totals.putSync(owner, this.count(owner) + bytes)
  }

  remove({ owner, at, key, bytes }: Holding): void {
    this.#holdings.removeSync([owner, at, ...key])
    const left = this.count(owner) - bytes
    if (left > 0) this.#totals.putSync(owner, left)
    else this.#totals.removeSync(owner)
  }

  /** Finds the record of an owner that was written longest ago. */
  findOldest(owner: string): Holding | undefined {
    const range = this.#holdings.getRange({
      start: [owner],
      end: [owner, HIGHEST_CHARACTER],
      limit: 1,
    })
    const [oldest] = [...range]
    if (!oldest) return undefined
    const [, at, ...key] = oldest.key as [string, Instant, ...string[]]
    return { owner, at, key, bytes: oldest.value }
  }

  clear(): void {
    this.#totals.clearSync()
    this.#holdings.clearSync()
  }
}
