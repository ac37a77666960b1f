import { requireValue } from '../../pipeline/core/present.ts'

interface Share<Item> {
  /** Sizes of the caller's items, the oldest first. */
  items: Map<Item, number>
  size: number
}

/**
 * Keeps track of what callers have in a store of limited size. When it is full, the oldest item of the caller
 * with most gives way, so nobody displaces what others keep by keeping more. All but an item larger than the
 * store fits.
 */
export class CallerShares<Item> {
  readonly #max: number
  readonly #shares = new Map<string, Share<Item>>()
  readonly #callers = new Map<Item, string>()
  #total = 0

  /** Takes the size of the store: a number of items, or of bytes. */
  constructor(max: number) {
    this.#max = max
  }

  get count(): number {
    return this.#callers.size
  }

  has(item: Item): boolean {
    return this.#callers.has(item)
  }

  items(): IterableIterator<Item> {
    return this.#callers.keys()
  }

  /** Lists the items with their callers. */
  entries(): IterableIterator<[Item, string]> {
    return this.#callers.entries()
  }

  /** Counts the items of a caller. */
  countItems(caller: string): number {
    return this.#shares.get(caller)?.items.size ?? 0
  }

  /**
   * Adds an item of a caller, as the caller's newest, and returns those that gave way for it. One that is
   * larger than the whole store is among them.
   */
  add(caller: string, item: Item, size = 1): Item[] {
    this.remove(item)
    if (size > this.#max) return [item]
    const share = this.#shares.get(caller) ?? { items: new Map(), size: 0 }
    this.#shares.set(caller, share)
    share.items.set(item, size)
    share.size += size
    this.#callers.set(item, caller)
    this.#total += size
    const gone: Item[] = []
    while (this.#total > this.#max) {
      const oldest = this.#findOldestOfLargest(item)
      this.remove(oldest)
      gone.push(oldest)
    }
    return gone
  }

  /** Tells whether an item of this size would displace nothing that the caller has. */
  hasRoomFor(caller: string, size = 1): boolean {
    if (this.#total + size <= this.#max) return true
    const own = (this.#shares.get(caller)?.size ?? 0) + size
    return [...this.#shares.values()].some(share => share.size >= own)
  }

  remove(item: Item): void {
    const caller = this.#callers.get(item)
    if (caller === undefined) return
    const share = requireValue(this.#shares.get(caller), 'share')
    const size = requireValue(share.items.get(item), 'size')
    this.#callers.delete(item)
    share.items.delete(item)
    share.size -= size
    this.#total -= size
    if (share.items.size === 0) this.#shares.delete(caller)
  }

  clear(): void {
    this.#shares.clear()
    this.#callers.clear()
    this.#total = 0
  }

  /** Finds the oldest item of the caller with most; never the new item, for which room is made. */
  #findOldestOfLargest(added: Item): Item {
    let largest: Share<Item> | undefined
    for (const share of this.#shares.values()) {
      const isOnlyNew = share.items.size === 1 && share.items.has(added)
      if (!isOnlyNew && share.size > (largest?.size ?? 0)) largest = share
    }
    const [oldest] = requireValue(largest, 'share').items.keys()
    return requireValue(oldest, 'oldest item')
  }
}
