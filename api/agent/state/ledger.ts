import type { Database, Key } from 'lmdb'
import type { Instant } from '../../../pipeline/core/clock.ts'

/** A credential at one agent, whose records are limited together, and one of those who share it. */
export interface Owner {
  name: string
  /** Part of the owner that the caller's address has; empty where an owner is one caller. */
  share: string
}

/** The bytes of one record, and its owner. */
export interface Holding {
  owner: Owner
  at: Instant
  key: readonly string[]
  bytes: number
}

interface LedgerStores {
  /** Bytes by owner, and by owner and share. */
  totals: Database<number, Key[]>
  /** Shares by owner and bytes. */
  shares: Database<true, Key[]>
  /** Bytes of each record by owner, share, time and key. */
  holdings: Database<number, Key[]>
}

const HIGHEST_CHARACTER = '\u{10ffff}'

/**
 * Counts the bytes of each owner's records, and finds those that give way: the oldest of the largest share.
 * Its entries are written in the same transactions as the records.
 */
export class Ledger {
  readonly #stores: LedgerStores

  constructor(stores: LedgerStores) {
    this.#stores = stores
  }

  /** Counts the bytes of all records of an owner. */
  count({ name }: Owner): number {
    return this.#stores.totals.get([name]) ?? 0
  }

  add({ owner, at, key, bytes }: Holding): void {
    this.#stores.holdings.putSync([owner.name, owner.share, at, ...key], bytes)
    this.#change(owner, bytes)
  }

  remove({ owner, at, key, bytes }: Holding): void {
    this.#stores.holdings.removeSync([owner.name, owner.share, at, ...key])
    this.#change(owner, -bytes)
  }

  /**
   * Finds the record that was written longest ago among those of the largest share; not the record `added`,
   * for which room is made, unless there is no other.
   */
  findOldestOfLargest({ name }: Owner, added: readonly string[]): Holding | undefined {
    const largest = this.#stores.shares.getRange({
      start: [name, HIGHEST_CHARACTER],
      end: [name],
      reverse: true,
      limit: 2,
    })
    const found = [...largest].flatMap(
      ({ key }) => this.#findOldest({ name, share: String(key[2]) }) ?? [],
    )
    return found.find(({ key }) => key.join() !== added.join()) ?? found[0]
  }

  clear(): void {
    for (const store of Object.values(this.#stores)) store.clearSync()
  }

  #findOldest(owner: Owner): Holding | undefined {
    const { name, share } = owner
    const range = this.#stores.holdings.getRange({
      start: [name, share],
      end: [name, share, HIGHEST_CHARACTER],
      limit: 1,
    })
    const [oldest] = [...range]
    if (!oldest) return undefined
    const [, , at, ...key] = oldest.key as [string, string, Instant, ...string[]]
    return { owner, at, key, bytes: oldest.value }
  }

  #change({ name, share }: Owner, bytes: number): void {
    const { totals, shares } = this.#stores
    const change = (key: Key[]): number => {
      const left = (totals.get(key) ?? 0) + bytes
      if (left > 0) totals.putSync(key, left)
      else totals.removeSync(key)
      return left
    }
    change([name])
    const left = change([name, share])
    shares.removeSync([name, left - bytes, share])
    if (left > 0) shares.putSync([name, left, share], true)
  }
}
