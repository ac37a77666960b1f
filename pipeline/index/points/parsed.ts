import type { ServingStore, SpaceName } from '../serving.ts'
import { etagOf, HEAD_LENGTH } from '../serving-value.ts'
import { AskedBefore } from './asked-before.ts'

interface Kept<Value> {
  /** The commit as of which it was compared last. */
  seq: number
  etag: string
  bytes: number
  value: Value | undefined
}

/**
 * Documents of one key space, parsed and indexed once and kept while they stay the same: what is asked
 * often is parsed once a change, not once a request; what is asked for the first time is kept only until
 * something else is. Bounded by the size of the JSON; what was not
 * asked for longest goes first.
 */
export class Parsed<Value> {
  readonly #space: SpaceName
  readonly #parse: (json: unknown) => Value
  readonly #maxBytes: number
  readonly #kept = new Map<string, Kept<Value>>()
  readonly #before = new AskedBefore()
  #bytes = 0
  #store: ServingStore | undefined
  /** What was parsed last: whoever asks for it asks again within the same request. */
  #latest: { key: string; seq: number; value: Value } | undefined

  constructor(space: SpaceName, maxBytes: number, parse: (json: unknown) => Value) {
    this.#space = space
    this.#maxBytes = maxBytes
    this.#parse = parse
  }

  get(store: ServingStore, key: string): Value | undefined {
    if (this.#store !== store) this.#forgetAll(store)
    const { seq } = store
    const known = this.#kept.get(key)
    if (known?.seq === seq) return known.value
    if (this.#latest?.key === key && this.#latest.seq === seq) return this.#latest.value
    const value = store.peek(this.#space, key)
    if (value === undefined) {
      this.#drop(key)
      return undefined
    }
    const etag = etagOf(value)
    const bytes = value.length
    if (known?.etag === etag) {
      known.seq = seq
      return known.value
    }
    const parsed = this.#parse(JSON.parse(value.toString('utf8', HEAD_LENGTH, bytes)))
    const kept = { seq, etag, bytes, value: parsed }
    if (known !== undefined || this.#before.note(key)) this.#keep(key, kept)
    else this.#latest = { key, seq, value: parsed }
    return parsed
  }

  /** Whether a value of this commit is there to be had without reading it. */
  keeps(store: ServingStore, key: string): boolean {
    return this.#store === store && this.#kept.get(key)?.seq === store.seq
  }

  #keep(key: string, kept: Kept<Value>): void {
    this.#drop(key)
    this.#kept.set(key, kept)
    this.#bytes += kept.bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const known = this.#kept.get(key)
    if (known === undefined) return
    this.#kept.delete(key)
    this.#bytes -= known.bytes
  }

  #forgetAll(store: ServingStore): void {
    this.#kept.clear()
    this.#bytes = 0
    this.#latest = undefined
    this.#store = store
  }
}
