import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Redis } from '../../jobs/redis.ts'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

const RANDOM_BYTES = 16
const TIME_BYTES = 4
const HEAD_BYTES = RANDOM_BYTES + TIME_BYTES
const MAC_BYTES = 32
/** Seconds for which the button on a page works. */
const CHALLENGE_S = 15 * 60

/**
 * Issues the challenges of sessions and sign-ins: random bytes, the time at which they expire, and a MAC over both and
 * their owner. Nothing is stored until a challenge is answered, which is possible once, and only where it was issued.
 */
export class PasskeyChallenges {
  readonly #redis: Redis
  readonly #secrets: readonly string[]
  readonly #clock: Clock

  /** Creates an issuer. The first of the secrets issues; the others are still accepted. */
  constructor(redis: Redis, secrets: readonly string[], clock: Clock) {
    this.#redis = redis
    this.#secrets = secrets
    this.#clock = clock
  }

  issue(owner: string): Uint8Array<ArrayBuffer> {
    const head = Buffer.alloc(HEAD_BYTES)
    randomBytes(RANDOM_BYTES).copy(head)
    head.writeUInt32BE(this.#readSeconds() + CHALLENGE_S, RANDOM_BYTES)
    return new Uint8Array(Buffer.concat([head, sign(getFirst(this.#secrets), owner, head)]))
  }

  /** Uses up a challenge (base64url); false if it is not of this owner, has expired, or was answered before. */
  async use(owner: string, challenge: string): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url')
    if (bytes.length !== HEAD_BYTES + MAC_BYTES) return false
    const [head, mac] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(HEAD_BYTES)]
    const isOwn = this.#secrets.some(secret => timingSafeEqual(sign(secret, owner, head), mac))
    if (!isOwn || head.readUInt32BE(RANDOM_BYTES) < this.#readSeconds()) return false
    const key = `${IDENTITY_KEYS}challenge:${hash('sha256', bytes, 'hex')}`
    return (await this.#redis.set(key, '', 'EX', CHALLENGE_S, 'NX')) === 'OK'
  }

  #readSeconds(): number {
    return Math.floor(this.#clock.now() / SECOND)
  }
}

function sign(secret: string, owner: string, head: Buffer): Buffer {
  return createHmac('sha256', secret).update(`passkey ${owner}\n`).update(head).digest()
}
