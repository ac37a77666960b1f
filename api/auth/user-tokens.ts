import { createLocalJWKSet, errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Config } from '../../pipeline/core/config.ts'
import { parseDomain } from '../../pipeline/core/domain.ts'
import type { TokenJwk } from '../../pipeline/core/keys/token-keys.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { asymmetricAlgorithms } from '../../pipeline/core/signature-algorithms.ts'
import { toUserId } from '../../pipeline/core/user-id.ts'
import { EmailAddress, type Person as SignedIn } from '../../pipeline/model/accounts/person.ts'
import type { Issuer } from '../../pipeline/model/identity.ts'
import { findIssuer } from '../../pipeline/read/lookups/issuers.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { IssuerKeys } from './issuer-keys.ts'

/** The person that a token identifies. */
export interface Person {
  id: string
  name?: string
  /** Email address that the identity provider has verified, in lower case. */
  email?: string
  /** Its domain. */
  emailDomain?: string
}

/** `typ` of access tokens and plain JWTs; a logout token, `logout+jwt`, names a person too and is refused. */
const ACCEPTED_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i
/** The form of a signed JWT: three parts in base64url. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const TOKEN_CHARS_MAX = 8_192
/** Difference between the clocks of the issuer and of this host that is tolerated. */
const CLOCK_TOLERANCE_S = 5
/** Lifetime of a token that never leaves this process. */
const OWN_TOKEN_S = 60

/** Tells whether a credential has the form of a user token. */
export function isTokenLike(text: string): boolean {
  return text.length <= TOKEN_CHARS_MAX && TOKEN.test(text)
}

/** The registry as the issuer of its own tokens. */
interface OwnIssuer {
  keys: readonly TokenJwk[]
  /** Private key that signs. */
  signing: TokenJwk & { d: string }
  /** Returns the name of the issuer, which is the audience as well. */
  baseUrl(): string
}

type KeySet = ReturnType<typeof createLocalJWKSet>

type OwnVerifier = OwnIssuer & { keySet: KeySet }

/**
 * Verifies user tokens of the identity provider in the settings, by its keys in the serving store, or of the
 * registry itself. Without either, no token is valid.
 */
export class UserTokens {
  readonly #config: Config
  readonly #reader: Reader
  readonly #keys: IssuerKeys
  readonly #own: OwnVerifier | undefined
  #imported: { issuer: Issuer; keySet: KeySet } | undefined

  constructor(config: Config, reader: Reader, keys: IssuerKeys, own?: OwnIssuer) {
    this.#config = config
    this.#reader = reader
    this.#keys = keys
    this.#own = own && {
      ...own,
      keySet: createLocalJWKSet({ keys: own.keys.map(key => ({ ...key })) }),
    }
  }

  /**
   * Verifies a token and returns its person; undefined if it is invalid. With `awaitsNewKeys`, a token with
   * an unknown key is verified again after the issuer's keys have been fetched.
   */
  async verifyPerson(
    token: string,
    { awaitsNewKeys }: { awaitsNewKeys: boolean },
  ): Promise<Person | undefined> {
    if (this.#own !== undefined) return this.#verifyOwn(token, this.#own)
    if (this.#config.AUTH_ISSUER === undefined) return undefined
    const first = await this.#verify(token)
    if (first !== 'unknown key') return first
    if (!awaitsNewKeys || !(await this.#keys.refresh())) return undefined
    const second = await this.#verify(token)
    return second === 'unknown key' ? undefined : second
  }

  /**
   * Issues a token with which the registry's own pages call its operations for a signed-in person. It expires
   * within a minute and never leaves this process.
   */
  async issueInternal(userId: string): Promise<string> {
    if (this.#own === undefined) throw new Error('this registry does not issue tokens')
    const { signing, baseUrl } = this.#own
    const now = Math.floor(this.#reader.now() / 1_000)
    return new SignJWT({ client_id: 'dashboard' })
      .setProtectedHeader({ alg: signing.alg, typ: 'at+jwt', kid: signing.kid })
      .setIssuer(baseUrl())
      .setAudience(baseUrl())
      .setSubject(userId)
      .setIssuedAt(now)
      .setExpirationTime(now + OWN_TOKEN_S)
      .sign(await importJWK({ ...signing }, signing.alg))
  }

  /** Verifies an access token that the registry issued, for a person that it knows. */
  async #verifyOwn(token: string, { keySet, baseUrl }: OwnVerifier) {
    const issuer = baseUrl()
    try {
      const { payload } = await jwtVerify(token, keySet, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer,
        audience: issuer,
        requiredClaims: ['exp', 'sub', 'client_id'],
        currentDate: new Date(this.#reader.now()),
        clockTolerance: CLOCK_TOLERANCE_S,
      })
      const known = findPerson(this.#reader, requireValue(payload.sub, 'subject'))
      return known && toSignedIn(known)
    } catch {
      return undefined
    }
  }

  async #verify(token: string): Promise<Person | 'unknown key' | undefined> {
    const { AUTH_ISSUER, AUTH_AUDIENCE: audience } = this.#config
    const issuer = requireValue(AUTH_ISSUER, 'AUTH_ISSUER')
    const keySet = this.#importKeys(issuer)
    if (keySet === undefined) return 'unknown key'
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keySet, {
        algorithms: asymmetricAlgorithms,
        issuer,
        requiredClaims: ['exp', 'sub'],
        ...(audience !== undefined && { audience }),
        currentDate: new Date(this.#reader.now()),
        clockTolerance: CLOCK_TOLERANCE_S,
      })
      const { typ } = protectedHeader
      return typ === undefined || ACCEPTED_TYPE.test(typ) ? this.#toPerson(payload) : undefined
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown key' : undefined
    }
  }

  /** Imports the keys of an issuer once, and again when the store holds other keys. */
  #importKeys(name: string): KeySet | undefined {
    const issuer = findIssuer(this.#reader, name)
    if (issuer === undefined) return undefined
    if (this.#imported?.issuer !== issuer) {
      this.#imported = { issuer, keySet: createLocalJWKSet({ keys: issuer.keys }) }
    }
    return this.#imported.keySet
  }

  #toPerson(claims: JWTPayload): Person | undefined {
    const { AUTH_CLIENT_ID: client } = this.#config
    if (client !== undefined && (claims.azp ?? claims.client_id) !== client) return undefined
    const id = toUserId(claims.sub)
    if (id === undefined || isMachine(claims)) return undefined
    const { name } = claims
    return {
      id,
      ...(typeof name === 'string' && name.trim() !== '' && { name: name.trim().slice(0, 100) }),
      ...readVerifiedEmail(claims),
    }
  }
}

/** Converts a stored person: a token of the registry holds only their id. */
function toSignedIn({ user_id, name, email, email_verified }: SignedIn): Person {
  return {
    id: user_id,
    ...(name !== null && { name: name.slice(0, 100) }),
    ...readVerifiedEmail({ email, email_verified }),
  }
}

/** Tells whether an application obtained the token for itself, without a person. */
function isMachine({ sub, grant_type, gty }: JWTPayload): boolean {
  const grants = [grant_type, gty]
  return (
    grants.some(grant => /^client[_-]credentials$/.test(String(grant))) ||
    /^client_/.test(sub ?? '')
  )
}

/** Reads the verified address and its domain; each is absent where it cannot be read. */
function readVerifiedEmail({ email, email_verified }: Record<string, unknown>) {
  if (typeof email !== 'string' || email_verified !== true) return {}
  const emailDomain = parseDomain(/^[^@\s]+@([^@\s]+)$/.exec(email)?.[1])
  const address = EmailAddress.safeParse(email)
  return {
    ...(address.success && { email: address.data }),
    ...(emailDomain !== undefined && { emailDomain }),
  }
}
