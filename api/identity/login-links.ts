import { hash, randomBytes } from 'node:crypto'
import type { Redis } from '../../jobs/redis.ts'
import { MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import { HourlyCounter } from './hourly-count.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

const TOKEN_BYTES = 32

/** The sign-in that a link belongs to. */
interface LinkRecord {
  uid: string
  email: string
}

/**
 * Stores sign-in links under the hashes of their tokens. Each works once, for the sign-in that requested it.
 */
export class LoginLinks {
  readonly #redis: Redis
  readonly #limits: Limits
  readonly #counter: HourlyCounter

  constructor(redis: Redis, limits: Limits) {
    this.#redis = redis
    this.#counter = new HourlyCounter(redis)
    this.#limits = limits
  }

  /** Issues the token of a link; undefined if too many were sent to the address or for the caller. */
  async issue(uid: string, email: string, caller: string): Promise<string | undefined> {
    const { signInLinksPerHour, signInLinksPerCallerHour, signInLinkMinutes } = this.#limits
    const isWithinLimits = await this.#counter.count(
      [`sent:caller:${caller}`, signInLinksPerCallerHour],
      [`sent:address:${hash('sha256', email, 'hex')}`, signInLinksPerHour],
    )
    if (!isWithinLimits) return undefined
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const record: LinkRecord = { uid, email }
    const seconds = (signInLinkMinutes * MINUTE) / SECOND
    await this.#redis.set(toKey(token), JSON.stringify(record), 'EX', seconds)
    return token
  }

  /**
   * Uses up a token and returns the address that it was sent to; undefined if it belongs to another sign-in
   * or was used before.
   */
  async use(uid: string, token: string): Promise<string | undefined> {
    return readAddress(uid, await this.#redis.getdel(toKey(token)))
  }

  /** Returns the address that a token was sent to, and does not use it up. */
  async find(uid: string, token: string): Promise<string | undefined> {
    return readAddress(uid, await this.#redis.get(toKey(token)))
  }
}

function readAddress(uid: string, text: string | null): string | undefined {
  const record = text === null ? undefined : (JSON.parse(text) as LinkRecord)
  return record?.uid === uid ? record.email : undefined
}

function toKey(token: string): string {
  return `${IDENTITY_KEYS}link:${hash('sha256', token, 'hex')}`
}
