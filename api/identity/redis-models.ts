import { hash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../../jobs/redis.ts'

/** Prefix of all keys of this folder in Redis. */
export const IDENTITY_KEYS = `${REDIS_PREFIX}:identity:`

/** Models whose records are revoked together with the grant under which they were issued. */
const granted = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

/**
 * Marks a code or a refresh token as used, with the time in seconds. Of several concurrent requests one gets
 * 1, the others 0.
 */
const CONSUME = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('HSETNX', KEYS[1], 'consumed', redis.call('TIME')[1])`

/** Marks an authorization request as completed; false if it was before. */
export async function markCompleted(redis: Redis, uid: string, seconds: number): Promise<boolean> {
  return (await redis.set(toKey('Completed', uid), '', 'EX', seconds, 'NX')) === 'OK'
}

/** Refuses a code or a refresh token that two requests use at the same moment. */
export type RefuseReplay = () => never

/**
 * Stores what may be lost: sessions, codes, refresh tokens and consents. A record is stored under the hash of
 * its id, since the id of a code or a refresh token is enough to use it.
 */
export class RedisModels {
  readonly #redis: Redis
  readonly #consume: Script<number>
  readonly #refuseReplay: RefuseReplay

  constructor(redis: Redis, refuseReplay: RefuseReplay) {
    this.#redis = redis
    this.#consume = defineScript(redis, 'consumeToken', 1, CONSUME)
    this.#refuseReplay = refuseReplay
  }

  /** Returns the storage of one model, in the form that the authorization server wants. */
  open(model: string): Adapter {
    return {
      upsert: (id, payload, seconds) => this.#upsert(model, id, payload, seconds),
      find: id => this.#find(toKey(model, id), id),
      findByUid: uid => this.#findByUid(uid),
      findByUserCode: async () => undefined,
      consume: id => this.#use(model, id),
      destroy: async id => void (await this.#redis.del(toKey(model, id))),
      revokeByGrantId: grantId => this.#revoke(grantId),
    }
  }

  async #upsert(model: string, id: string, payload: AdapterPayload, seconds?: number) {
    // The library stores a session for each request with the cookie of one that has ended.
    if (model === 'Session' && payload.accountId === undefined) return
    const key = toKey(model, id)
    // A reader of Redis must not be able to use the record.
    const { jti: _, ...stored } = payload
    const { grantId, uid } = stored
    const transaction = this.#redis.multi().hset(key, 'payload', JSON.stringify(stored))
    const expire = (expiring: string) => {
      if (seconds !== undefined) transaction.expire(expiring, seconds)
    }
    expire(key)
    if (model === 'Session' && uid !== undefined) {
      transaction.set(toUidKey(uid), key)
      expire(toUidKey(uid))
    }
    if (granted.has(model) && grantId !== undefined) {
      transaction.sadd(toGrantKey(grantId), key)
      expire(toGrantKey(grantId))
    }
    const { accountId } = stored as { accountId?: string }
    if (model === 'Grant' && accountId !== undefined) {
      transaction.sadd(toPersonKey(accountId), id)
      expire(toPersonKey(accountId))
    }
    if (model === 'Session' && accountId !== undefined) {
      transaction.sadd(toSessionsKey(accountId), key)
      expire(toSessionsKey(accountId))
    }
    await transaction.exec()
  }

  async #find(key: string, jti?: string): Promise<AdapterPayload | undefined> {
    const [payload, consumed] = await this.#redis.hmget(key, 'payload', 'consumed')
    if (!payload) return undefined
    return {
      ...(JSON.parse(payload) as AdapterPayload),
      ...(jti !== undefined && { jti }),
      ...(consumed && { consumed: Number(consumed) }),
    }
  }

  async #findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const key = await this.#redis.get(toUidKey(uid))
    return key === null ? undefined : this.#find(key)
  }

  async #use(model: string, id: string): Promise<void> {
    const key = toKey(model, id)
    if ((await this.#consume(key)) === 1) return
    const found = await this.#find(key)
    if (found?.grantId !== undefined) await this.#revoke(found.grantId)
    this.#refuseReplay()
  }

  async #revoke(grantId: string): Promise<void> {
    const set = toGrantKey(grantId)
    const keys = await this.#redis.smembers(set)
    await this.#redis.del(set, ...keys)
  }
}

/** Lists the ids of the consents that a person has given, including some that have ended. */
export function listGrantIds(redis: Redis, accountId: string): Promise<string[]> {
  return redis.smembers(toPersonKey(accountId))
}

/** Ends every session of a person, in all their browsers. */
export async function endSessions(redis: Redis, accountId: string): Promise<void> {
  const sessions = toSessionsKey(accountId)
  await redis.del(sessions, ...(await redis.smembers(sessions)))
}

function toSessionsKey(accountId: string): string {
  return `${IDENTITY_KEYS}sessions-of:${hash('sha256', accountId, 'hex')}`
}

function toPersonKey(accountId: string): string {
  return `${IDENTITY_KEYS}grants-of:${hash('sha256', accountId, 'hex')}`
}

function toKey(model: string, id: string): string {
  return `${IDENTITY_KEYS}${model}:${hash('sha256', id, 'hex')}`
}

function toUidKey(uid: string): string {
  return `${IDENTITY_KEYS}session-of:${hash('sha256', uid, 'hex')}`
}

function toGrantKey(grantId: string): string {
  return `${IDENTITY_KEYS}issued-by:${hash('sha256', grantId, 'hex')}`
}
