import type Provider from 'oidc-provider'
import type { RedisRoom } from '../../jobs/api-client/redis-room.ts'
import type { Redis } from '../../jobs/redis.ts'
import { HOUR, SECOND } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { TokenKeys } from '../../pipeline/core/keys/token-keys.ts'
import { requireCurrentStores } from '../auth/unknown-facts.ts'
import type { Services } from '../operation/services.ts'
import { type Access, endAccess, endAllAccess, listAccess } from './access.ts'
import { HourlyCounter, type HourlyLimit } from './hourly-count.ts'
import { LoginLinks } from './login-links.ts'
import { hasPasskeys, Passkeys } from './passkeys.ts'
import { endSessions, listGrantIds } from './redis-models.ts'
import { refuseSignIn } from './unavailable.ts'
import { Upstream } from './upstream.ts'

/** The registry's own authorization server. The library is loaded when somebody first signs in. */
export class Identity {
  readonly keys: TokenKeys
  readonly #redis: Redis | undefined
  readonly #room: RedisRoom
  #counter: HourlyCounter | undefined
  #provider: Promise<Provider> | undefined
  #links: LoginLinks | undefined
  #passkeys: Passkeys | undefined
  #upstream: Upstream | undefined

  constructor(keys: TokenKeys, redis: Redis | undefined, room: RedisRoom) {
    this.keys = keys
    this.#redis = redis
    this.#room = room
  }

  /** Returns the authorization server; refuses with 503 while Redis is down, which holds its sessions. */
  getProvider(services: Services): Promise<Provider> {
    const redis = this.requireRedis()
    requireCurrentStores(services.reader)
    this.#provider ??= import('./provider.ts').then(({ createProvider }) =>
      createProvider({ issuer: services.baseUrl(), keys: this.keys, redis, services }),
    )
    return this.#provider
  }

  /** Lists the applications that a person has allowed to act for them. */
  async listAccess(services: Services, userId: string): Promise<Access[]> {
    const provider = await this.getProvider(services)
    const ids = await listGrantIds(this.requireRedis(), userId)
    return listAccess(provider, userId, ids)
  }

  /** Ends a person's consent and all tokens issued under it; false if they gave no such consent. */
  async endAccess(services: Services, userId: string, grantId: string): Promise<boolean> {
    return endAccess(await this.getProvider(services), userId, grantId)
  }

  /** Ends every session and every consent of a person who deletes their account, with all tokens issued. */
  async forgetPerson(services: Services, userId: string): Promise<void> {
    const provider = await this.getProvider(services)
    const redis = this.requireRedis()
    await endAllAccess(provider, userId, await listGrantIds(redis, userId))
    await endSessions(redis, userId)
  }

  /** Returns the sign-in links; refuses with 503 while Redis is down. */
  getLinks({ config }: Services): LoginLinks {
    this.#links ??= new LoginLinks(this.requireRedis(), config.LIMITS)
    return this.#links
  }

  /** Returns the OpenID provider at which people sign in; undefined if the settings name none. */
  getUpstream(services: Services): Upstream | undefined {
    const { OPENID_ISSUER } = services.config
    if (OPENID_ISSUER === undefined) return undefined
    this.#upstream ??= new Upstream(OPENID_ISSUER, services)
    return this.#upstream
  }

  /**
   * Returns the passkeys; undefined if people sign in at an OpenID provider, or if browsers create no
   * passkeys for the public address.
   */
  getPasskeys(services: Services): Passkeys | undefined {
    if (services.config.OPENID_ISSUER !== undefined) return undefined
    if (!hasPasskeys(services.baseUrl())) return undefined
    this.#passkeys ??= new Passkeys(this.requireRedis(), this.keys.cookies, services)
    return this.#passkeys
  }

  /** Returns Redis; refuses with 503 while it is down. */
  requireRedis(): Redis {
    return this.#redis?.status === 'ready' ? this.#redis : refuseSignIn()
  }

  /** Refuses with 503 while Redis has no memory left for sign-ins: the rest is reserved for writes. */
  async requireRoom(): Promise<void> {
    if (!(await this.#room.hasRoom())) refuseSignIn()
  }

  /**
   * Counts what a stranger makes the registry store, for their address and for everybody. Refuses it with 429 beyond
   * one of the limits.
   */
  async countOrRefuse(caller: HourlyLimit, all: HourlyLimit): Promise<void> {
    this.#counter ??= new HourlyCounter(this.requireRedis())
    if (await this.#counter.count(caller, all)) return
    refuse('rate_limited', 'too many of these requests in the last hour', {
      retry_after: HOUR / SECOND,
    })
  }
}
