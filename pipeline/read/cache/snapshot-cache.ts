import { LRUCache } from 'lru-cache'

/** Caches results of the snapshot that owns it by question: it never changes, so each is computed once. */
export class SnapshotCache<Value> {
  readonly #results: LRUCache<string, Promise<Value>>

  constructor(max: number) {
    this.#results = new LRUCache({ max })
  }

  get(question: string, find: () => Promise<Value>): Promise<Value> {
    const known = this.#results.get(question)
    if (known !== undefined) return known
    const found = find()
    this.#results.set(question, found)
    found.catch(() => this.#results.delete(question))
    return found
  }
}
