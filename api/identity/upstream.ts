import { createHash, hash, randomBytes } from 'node:crypto'
import type { Redis } from '../../jobs/redis.ts'
import { type Instant, MINUTE, SECOND } from '../../pipeline/core/clock.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import type {
  OpenIdCode,
  OpenIdPerson,
  OpenIdProvider,
} from '../../pipeline/model/accounts/openid.ts'
import type { Services } from '../operation/services.ts'
import { HourlyCounter } from './hourly-count.ts'
import { IDENTITY_KEYS } from './redis-models.ts'

/** Path to which the provider sends people back; BASE_URL with this path is registered there. */
export const RETURN_PATH = '/sign-in/return'
/** Time that a person may take at the provider. */
const SIGN_IN_S = (30 * MINUTE) / SECOND
/** Time for which metadata are cached. */
const METADATA_MS = 5 * MINUTE
/** Time beyond that of the provider's three small answers, for a busy crawler. */
const SLACK_MS = 5 * SECOND
const SECRET_BYTES = 32
/** The form of a state: the id of a sign-in and a secret. */
const STATE = /^([\w-]{1,100})\.[\w-]{43}$/

/** A sign-in at the provider, stored until the provider sends the person back. */
interface Journey {
  uid: string
  issuer: string
  nonce: string
  code_verifier: string
  /** True if the answer must name the provider (RFC 9207). */
  mustNameIssuer: boolean
}

/** A refusal, as a sentence for the person. */
export interface Refused {
  refused: string
}

/** Sentences for those errors of RFC 6749 and OpenID Connect that a person can do something about. */
const errorTexts: Readonly<Record<string, string>> = {
  access_denied: 'you declined, or may not use this registry',
  login_required: 'you aren’t signed in there',
  interaction_required: 'it needs something from you first',
  consent_required: 'you haven’t agreed to it there',
  account_selection_required: 'choose one of your accounts there first',
  temporarily_unavailable: 'it is overloaded or being maintained; try again later',
  server_error: 'something went wrong there; try again later',
  unauthorized_client: 'it doesn’t know this registry; tell its operator',
  invalid_request: 'it rejected this registry’s request; tell its operator',
  invalid_scope: 'it rejected this registry’s request; tell its operator',
}

/**
 * Signs people in at the OpenID provider of the settings, with a code and PKCE. Requests to it go through
 * crawlers. State, nonce and verifier are kept in Redis until the same browser comes back.
 */
export class Upstream {
  /** Name of the provider for people. */
  readonly name: string
  readonly #issuer: string
  readonly #services: Services
  #reading: Promise<OpenIdProvider | Refused> | undefined
  #cachedProvider: { provider: OpenIdProvider; at: Instant } | undefined

  constructor(issuer: string, services: Services) {
    const { OPENID_NAME } = services.config
    this.name = OPENID_NAME ?? new URL(issuer).host
    this.#issuer = issuer
    this.#services = services
  }

  /**
   * Begins a sign-in at the provider and returns the address to send the person to. `isNew` asks it not to
   * rely on an earlier sign-in there.
   */
  async begin(
    redis: Redis,
    { uid, caller, isNew }: { uid: string; caller: string; isNew: boolean },
  ): Promise<{ address: string } | Refused> {
    const { upstreamSignInsPerCallerHour, signInFormsPerHour } = this.#services.config.LIMITS
    const isWithinLimits = await new HourlyCounter(redis).count(
      [`begun:${caller}`, upstreamSignInsPerCallerHour],
      ['begun', signInFormsPerHour],
    )
    if (!isWithinLimits) {
      return { refused: 'Too many sign-in attempts from your address. Try again in an hour.' }
    }
    const provider = await this.#findProvider()
    if ('refused' in provider) return provider
    const [secret, nonce, code_verifier] = [createSecret(), createSecret(), createSecret()]
    const state = `${uid}.${secret}`
    const mustNameIssuer = provider.authorization_response_iss_parameter_supported === true
    const journey: Journey = { uid, issuer: this.#issuer, nonce, code_verifier, mustNameIssuer }
    await redis.set(toKey(state), JSON.stringify(journey), 'EX', SIGN_IN_S)
    const address = new URL(provider.authorization_endpoint)
    const query = {
      response_type: 'code',
      client_id: this.#clientId,
      redirect_uri: this.#redirectUri,
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(isNew && { prompt: 'login' }),
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    return { address: address.href }
  }

  /** Checks the provider's answer to the sign-in `uid`, and has its code exchanged for the person. */
  async finish(
    redis: Redis,
    uid: string,
    answer: Readonly<Record<string, unknown>>,
  ): Promise<OpenIdPerson | Refused> {
    const journey = await this.#useJourney(redis, uid, answer.state)
    if (journey === undefined) {
      return { refused: `This response from ${this.name} has already been used or has expired.` }
    }
    const { mustNameIssuer, nonce, code_verifier, issuer } = journey
    const isMixedUp = answer.iss === undefined ? mustNameIssuer : answer.iss !== this.#issuer
    if (isMixedUp || issuer !== this.#issuer) {
      return this.#refuseUntrusted(
        `the answer names another issuer: ${String(answer.iss).slice(0, 200)}`,
      )
    }
    if (answer.error !== undefined) return this.#refuseError(String(answer.error))
    if (typeof answer.code !== 'string' || answer.code === '') {
      return this.#refuseUntrusted('the answer has neither a code nor an error')
    }
    const code = {
      issuer,
      code: answer.code,
      code_verifier,
      nonce,
      redirect_uri: this.#redirectUri,
    }
    return this.#exchange(code)
  }

  get #clientId(): string {
    return requireValue(this.#services.config.OPENID_CLIENT_ID, 'OPENID_CLIENT_ID')
  }

  /** Returns the address at which people sign out of the provider; undefined where none is known. */
  getSignOutAddress(): string | undefined {
    const { end_session_endpoint: endpoint } = this.#cachedProvider?.provider ?? {}
    if (endpoint === undefined) return undefined
    const address = new URL(endpoint)
    address.searchParams.set('client_id', this.#clientId)
    return address.href
  }

  get #redirectUri(): string {
    return this.#services.baseUrl() + RETURN_PATH
  }

  async #exchange(code: OpenIdCode): Promise<OpenIdPerson | Refused> {
    const { writer, config } = this.#services
    const answer = await writer.requestLive(
      { kind: 'exchange_openid_code', ...code },
      3 * config.LIMITS.issuerMs + SLACK_MS,
    )
    if (!('failed' in answer)) return answer
    return this.#toRefusal(answer)
  }

  /** Finds the metadata of the provider; concurrent callers share one request. */
  #findProvider(): Promise<OpenIdProvider | Refused> {
    const now = this.#services.clock.now()
    if (this.#cachedProvider !== undefined && now - this.#cachedProvider.at < METADATA_MS) {
      return Promise.resolve(this.#cachedProvider.provider)
    }
    this.#reading ??= this.#readProvider(now).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readProvider(now: Instant): Promise<OpenIdProvider | Refused> {
    const { writer, config } = this.#services
    const read = await writer.requestLive(
      { kind: 'read_openid' },
      config.LIMITS.issuerMs + SLACK_MS,
    )
    if ('failed' in read) return this.#toRefusal(read)
    if (read.issuer !== this.#issuer) {
      return this.#refuseUntrusted('the crawler’s settings name another provider')
    }
    this.#cachedProvider = { provider: read, at: now }
    return read
  }

  #toRefusal({ failed, detail }: { failed: string; detail: string }): Refused {
    if (failed === 'untrusted') return this.#refuseUntrusted(detail)
    this.#services.boundedLog.warn('openid', { detail }, `nobody was signed in: ${failed}`)
    return failed === 'refused'
      ? { refused: `${this.name} didn’t accept this sign-in. Start again.` }
      : { refused: `${this.name} doesn’t answer at the moment. Try again in a minute.` }
  }

  #refuseUntrusted(detail: string): Refused {
    this.#services.boundedLog.warn('openid', { detail }, 'an answer of the provider is not trusted')
    return {
      refused: `The response from ${this.name} couldn’t be verified, so you aren’t signed in.`,
    }
  }

  #refuseError(error: string): Refused {
    const text = Object.hasOwn(errorTexts, error) ? errorTexts[error] : 'it didn’t say why'
    return { refused: `${this.name} didn’t sign you in: ${text}.` }
  }

  /** Finds and deletes the record of a state; undefined if there is none or it belongs to another sign-in. */
  async #useJourney(redis: Redis, uid: string, state: unknown): Promise<Journey | undefined> {
    if (typeof state !== 'string' || findSignInOfState(state) !== uid) return undefined
    const text = await redis.getdel(toKey(state))
    const journey = text === null ? undefined : (JSON.parse(text) as Journey)
    return journey?.uid === uid ? journey : undefined
  }
}

/** Finds the sign-in that a state belongs to; undefined where it has another form. */
export function findSignInOfState(state: unknown): string | undefined {
  return typeof state === 'string' ? STATE.exec(state)?.[1] : undefined
}

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

function toKey(state: string): string {
  return `${IDENTITY_KEYS}upstream:${hash('sha256', state, 'hex')}`
}
