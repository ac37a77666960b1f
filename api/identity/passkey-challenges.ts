import { hash, randomBytes } from 'node:crypto'
import type { Redis } from '../../jobs/redis.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

const CHALLENGE_BYTES = 32
/** Seconds for which the button on a page works. */
const CHALLENGE_S = 15 * 60

/**
 * Stores the last challenge of each session and each sign-in. It can be answered once, where it was issued.
 */
export class PasskeyChallenges {
  readonly #redis: Redis

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Issues a challenge (base64url bytes), which replaces an earlier one of the same owner. */
  async issue(owner: string): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = new Uint8Array(randomBytes(CHALLENGE_BYTES))
    const text = Buffer.from(challenge).toString('base64url')
    await this.#redis.set(toKey(owner), text, 'EX', CHALLENGE_S)
    return challenge
  }

  /** Uses up the challenge of an owner and returns it as base64url; undefined if there is none. */
  async use(owner: string): Promise<string | undefined> {
    return (await this.#redis.getdel(toKey(owner))) ?? undefined
  }
}

function toKey(owner: string): string {
  return `${IDENTITY_KEYS}challenge:${hash('sha256', owner, 'hex')}`
}
