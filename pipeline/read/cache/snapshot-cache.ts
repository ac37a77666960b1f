import { LRUCache } from 'lru-cache'
import type { Snapshot } from '../reader.ts'

/** Caches results of a snapshot by question; since a snapshot never changes, each is computed once. */
export class SnapshotCache<Value> {
  readonly #max: number
  readonly #bySnapshot = new WeakMap<Snapshot, LRUCache<string, Promise<Value>>>()

  constructor(max: number) {
    this.#max = max
  }

  get(snapshot: Snapshot, question: string, find: () => Promise<Value>): Promise<Value> {
    const results = this.#bySnapshot.get(snapshot) ?? new LRUCache({ max: this.#max })
    this.#bySnapshot.set(snapshot, results)
    const known = results.get(question)
    if (known !== undefined) return known
    const found = find()
    results.set(question, found)
    found.catch(() => results.delete(question))
    return found
  }
}
