import { LRUCache } from 'lru-cache'
import { HEAD_LENGTH, readEtag } from '../../serving/document-value.ts'
import type { ServingStore, SpaceName } from '../../serving/lmdb.ts'
import { AdmissionFilter } from './admission-filter.ts'

interface Parsed<Value> {
  /** The commit in which it was last compared. */
  seq: number
  etag: string
  value: Value
}

/**
 * Caches documents of one key space, parsed and indexed, until their ETag changes: a frequently requested
 * document is parsed once a change, not once a request. Limited by the size of the JSON.
 */
export class DocumentCache<Value> {
  readonly #space: SpaceName
  readonly #parse: (json: unknown) => Value
  readonly #documents: LRUCache<string, Parsed<Value>>
  readonly #filter = new AdmissionFilter()
  #store: ServingStore | undefined
  /** The value parsed last: a request that needs it once needs it again, admitted or not. */
  #latest: { key: string; seq: number; value: Value } | undefined

  constructor(space: SpaceName, maxBytes: number, parse: (json: unknown) => Value) {
    this.#space = space
    this.#parse = parse
    this.#documents = new LRUCache({ maxSize: maxBytes })
  }

  get(store: ServingStore, key: string): Value | undefined {
    if (this.#store !== store) this.#begin(store)
    const { seq } = store
    const known = this.#documents.get(key)
    if (known?.seq === seq) return known.value
    if (this.#latest?.key === key && this.#latest.seq === seq) return this.#latest.value
    const stored = store.peek(this.#space, key)
    if (stored === undefined) {
      this.#documents.delete(key)
      return undefined
    }
    const etag = readEtag(stored)
    if (known?.etag === etag) {
      known.seq = seq
      return known.value
    }
    const size = stored.length
    const value = this.#parse(JSON.parse(stored.toString('utf8', HEAD_LENGTH, size)))
    this.#latest = { key, seq, value }
    if (known !== undefined || this.#filter.admits(key)) {
      this.#documents.set(key, { seq, etag, value }, { size })
    }
    return value
  }

  /** Tells whether a value of this commit is cached. */
  has(store: ServingStore, key: string): boolean {
    return this.#store === store && this.#documents.peek(key)?.seq === store.seq
  }

  #begin(store: ServingStore): void {
    this.#documents.clear()
    this.#latest = undefined
    this.#store = store
  }
}
