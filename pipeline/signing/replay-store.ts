import { SKEW_SECONDS_MAX, WINDOW_SECONDS_MAX } from './profile.ts'

/** A nonce, which may be used once for a key and a target URI. */
export interface Nonce {
  keyid: string
  /** The canonical target URI. */
  uri: string
  nonce: string
}

/** Remembers nonces against replays. A receiver with several processes must supply one that they share. */
export interface ReplayStore {
  /** Tells whether a nonce was remembered and has not expired; `now` is in seconds. */
  has(nonce: Nonce, now: number): boolean | Promise<boolean>
  /** Tells whether no further nonce of a key can be remembered. */
  isFull(keyid: string, now: number): boolean | Promise<boolean>
  /** Remembers a nonce. False where it was remembered already. */
  add(nonce: Nonce, now: number): boolean | Promise<boolean>
}

/**
 * A signature is accepted from a skew before it was made until a skew after it expires, so its nonce
 * is remembered for as long, in seconds.
 */
const LIFETIME_SECONDS = WINDOW_SECONDS_MAX + 2 * SKEW_SECONDS_MAX

/** Nonces in the memory of one process, at most `capacity` for each key. Times are in seconds. */
export class MemoryReplayStore implements ReplayStore {
  /** Expiry times by key and nonce; the oldest come first. */
  readonly #expiries = new Map<string, Map<string, number>>()
  readonly #capacity: number

  constructor(capacity = 100_000) {
    this.#capacity = capacity
  }

  has({ keyid, uri, nonce }: Nonce, now: number): boolean {
    return this.#forgetOld(keyid, now).has(`${nonce} ${uri}`)
  }

  isFull(keyid: string, now: number): boolean {
    return this.#forgetOld(keyid, now).size >= this.#capacity
  }

  add(nonce: Nonce, now: number): boolean {
    if (this.has(nonce, now)) return false
    let expiries = this.#expiries.get(nonce.keyid)
    if (!expiries) {
      expiries = new Map()
      this.#expiries.set(nonce.keyid, expiries)
    }
    expiries.set(`${nonce.nonce} ${nonce.uri}`, now + LIFETIME_SECONDS)
    return true
  }

  #forgetOld(keyid: string, now: number): ReadonlyMap<string, number> {
    const expiries = this.#expiries.get(keyid)
    if (!expiries) return new Map()
    for (const [nonce, expiry] of expiries) {
      if (expiry >= now) break
      expiries.delete(nonce)
    }
    if (expiries.size === 0) this.#expiries.delete(keyid)
    return expiries
  }
}
