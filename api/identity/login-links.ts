import { hash, randomBytes } from 'node:crypto'
import type { Redis } from '../../jobs/redis.ts'
import { HOUR, MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import { IDENTITY_KEYS } from './keys.ts'

const TOKEN_BYTES = 32

/** A sign-in that waits for its link to be opened. */
interface Waiting {
  uid: string
  email: string
}

/** Keeps sign-in links under the hashes of their tokens: each works once, for the sign-in that asked for it. */
export class LoginLinks {
  readonly #redis: Redis
  readonly #limits: Limits

  constructor(redis: Redis, limits: Limits) {
    this.#redis = redis
    this.#limits = limits
  }

  /** Issues the token of a link; undefined where the address or the caller had too many sent. */
  async issue(uid: string, email: string, caller: string): Promise<string | undefined> {
    const { signInLinksPerHour, signInLinksPerCallerHour, signInLinkMinutes } = this.#limits
    const hasRoom = await Promise.all([
      this.#count(`address:${hash('sha256', email, 'hex')}`, signInLinksPerHour),
      this.#count(`caller:${caller}`, signInLinksPerCallerHour),
    ])
    if (hasRoom.includes(false)) return undefined
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const waiting: Waiting = { uid, email }
    const seconds = (signInLinkMinutes * MINUTE) / SECOND
    await this.#redis.set(toKey(token), JSON.stringify(waiting), 'EX', seconds)
    return token
  }

  /** Uses a token up and returns the address that it was sent to; undefined if it is none of this sign-in. */
  async use(uid: string, token: string): Promise<string | undefined> {
    const text = await this.#redis.getdel(toKey(token))
    if (text === null) return undefined
    const waiting = JSON.parse(text) as Waiting
    return waiting.uid === uid ? waiting.email : undefined
  }

  async #count(what: string, most: number): Promise<boolean> {
    const key = `${IDENTITY_KEYS}sent:${what}`
    const counted = await this.#redis
      .multi()
      .incr(key)
      .expire(key, HOUR / SECOND, 'NX')
      .exec()
    return Number(counted?.[0]?.[1]) <= most
  }
}

function toKey(token: string): string {
  return `${IDENTITY_KEYS}link:${hash('sha256', token, 'hex')}`
}
