import { hash, randomBytes } from 'node:crypto'
import type { Redis } from '../../jobs/redis.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

const CHALLENGE_BYTES = 32
/** Seconds that a person may look at the page before they use its button. */
const CHALLENGE_S = 15 * 60

/** Keeps the last challenge of each session and each sign-in: it is answered there, once. */
export class PasskeyChallenges {
  readonly #redis: Redis

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Issues a challenge (base64url bytes); an earlier one of the same owner ends. */
  async issue(owner: string): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = new Uint8Array(randomBytes(CHALLENGE_BYTES))
    const text = Buffer.from(challenge).toString('base64url')
    await this.#redis.set(toKey(owner), text, 'EX', CHALLENGE_S)
    return challenge
  }

  /** Uses the challenge of an owner up and returns it, base64url; undefined where there is none. */
  async use(owner: string): Promise<string | undefined> {
    return (await this.#redis.getdel(toKey(owner))) ?? undefined
  }
}

function toKey(owner: string): string {
  return `${IDENTITY_KEYS}challenge:${hash('sha256', owner, 'hex')}`
}
