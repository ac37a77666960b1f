import type { PublicJwk } from './keys.ts'

/** A JSON document that was fetched: its value, where it was found, and how long it may be kept. */
export interface Fetched {
  value: unknown
  /** The URL after redirects. */
  url: string
  /** `max-age` in seconds; 0 where it must not be stored, undefined where nothing is said. */
  maxAge?: number
}

/**
 * Fetches JSON over HTTPS. It must resolve to undefined for whatever fails, and never reach a closed
 * address. `redirects` says whether redirects are followed.
 */
export type FetchJson = (
  url: string,
  options: { redirects: boolean },
) => Promise<Fetched | undefined>

/** Maximum lifetime of a cached document in seconds, whatever its `max-age`. */
const LIFETIME_SECONDS_MAX = 3600

/** Minimum number of seconds between two fetches of a document. */
const COOLDOWN_SECONDS = 30

/** A value that is kept for as long as its source allows, and is fetched again on request. */
export class Cached<Value> {
  #value: Value | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #lifetime = 0
  #pending: Promise<Value | undefined> | undefined
  readonly #load: () => Promise<{ value: Value | undefined; maxAge?: number | undefined }>
  readonly #now: () => number

  /** Creates a key set; `now` is in seconds. */
  constructor(
    load: () => Promise<{ value: Value | undefined; maxAge?: number | undefined }>,
    now: () => number,
  ) {
    this.#load = load
    this.#now = now
  }

  /** Gets the cached value, or a new one if it is too old or `refresh` is set. */
  async get(refresh = false): Promise<Value | undefined> {
    const age = this.#now() - this.#fetchedAt
    if (age < COOLDOWN_SECONDS || (!refresh && age < this.#lifetime)) return this.#value
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #fetch(): Promise<Value | undefined> {
    const { value, maxAge = LIFETIME_SECONDS_MAX } = await this.#load()
    this.#fetchedAt = this.#now()
    this.#lifetime = Math.min(maxAge, LIFETIME_SECONDS_MAX)
    this.#value = value
    return value
  }
}

/** Finds the key of a `kid`. Undefined if there is none, or if two share it. */
export function findInKeySet(jwks: unknown, keyid: string): PublicJwk | undefined {
  const keys = (jwks as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys)) return undefined
  const found = keys.filter(key => (key as PublicJwk | null)?.kid === keyid)
  return found.length === 1 ? found[0] : undefined
}
