import { hash } from 'node:crypto'
import { refuse } from '../../pipeline/core/errors.ts'
import type { KeyPermission, MembershipRole } from '../../pipeline/core/roles.ts'
import { hasApiAccess, type Tier } from '../../pipeline/core/tiers.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../pipeline/read/cache/commit-cache.ts'
import {
  findPrincipal,
  listMemberships,
  listRoles,
} from '../../pipeline/read/lookups/principals.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { requireCurrentStores } from './unknown-facts.ts'
import { isTokenLike, type Person, type UserTokens } from './user-tokens.ts'

/** The caller's membership in an organization. A key has no role but permissions. */
export type CallerMembership = Omit<Membership, 'role'> & { role: MembershipRole | 'key' }

/** The caller of a request. */
export interface Principal {
  kind: 'key' | 'user'
  /** Id of the key or of the person: opaque and permanent. */
  id: string
  /** The default organization: a key's own, a person's first; a person may have none. */
  org_id?: string
  org_name?: string
  /** All organizations that the caller may act for. */
  memberships: readonly CallerMembership[]
  /** The highest tier of these organizations; null if none has one. */
  tier: Tier | null
  /** Additional rights of the caller. */
  roles: readonly string[]
  /** Permissions of a key. */
  permissions: readonly KeyPermission[]
  /** Claims of a person's token. */
  person?: Person
}

interface AuthServices {
  reader: Reader
  tokens: UserTokens
}

const RETRY_AFTER_S = 5
const BEARER = /^bearer +(\S+) *$/i
const API_KEY = /^sk_[\x21-\x7e]{1,250}$/

/**
 * Authenticates the caller by the `Authorization` header; refuses with 401 if it is missing or invalid.
 * Returns a promise only for user tokens, whose signature is verified on another thread.
 */
export function authenticate(
  services: AuthServices,
  authorization: string | undefined,
): Principal | Promise<Principal> {
  if (authorization === undefined) {
    return refuse('unauthenticated', 'Missing API key. Send it as `Authorization: Bearer sk_…`')
  }
  if (services.reader.serving === undefined || services.reader.record === undefined) {
    return refuse(
      'unavailable',
      'credentials cannot be checked while the stores are missing; try again',
      {
        retry_after: RETRY_AFTER_S,
      },
    )
  }
  requireCurrentStores(services.reader)
  if (!BEARER.test(authorization)) {
    return refuse('unauthenticated', 'send the API key as `Authorization: Bearer sk_…`')
  }
  const found = identify(services, authorization, { awaitsNewKeys: true })
  return found instanceof Promise ? found.then(requireFound) : requireFound(found)
}

/** Identifies the caller by the `Authorization` header, if it names one. */
export function identifyCaller(
  services: AuthServices,
  authorization: string | undefined,
): Principal | undefined | Promise<Principal | undefined> {
  if (authorization === undefined) return undefined
  requireCurrentStores(services.reader)
  return identify(services, authorization, { awaitsNewKeys: false })
}

function requireFound(principal: Principal | undefined): Principal {
  return principal ?? refuse('unauthenticated', 'the credential is invalid')
}

function identify(
  services: AuthServices,
  authorization: string,
  options: { awaitsNewKeys: boolean },
) {
  const token = BEARER.exec(authorization)?.[1] ?? ''
  if (API_KEY.test(token)) return findKeyHolder(services.reader, token)
  if (!isTokenLike(token)) return undefined
  return services.tokens
    .verifyPerson(token, options)
    .then(person => person && buildUserPrincipal(services, person))
}

/** Finds the holder of an API key, if the key is valid. */
export function findKeyHolder(reader: Reader, secret: string): Principal | undefined {
  const { serving } = reader
  const digest = hash('sha256', secret, 'hex')
  return (
    serving &&
    holders(reader).get(serving, digest, () => ({ found: readHolder(reader, digest) })).found
  )
}

const HOLDERS_BYTES_MAX = 4 * 1024 * 1024
const HOLDER_BYTES = 600
/**
 * Caches principals by the hash of the secret, unknown hashes included, so that a wrong key is not looked up
 * again and again.
 */
const holders = declareCache(
  () => new CommitCache<{ found: Principal | undefined }>(HOLDERS_BYTES_MAX, () => HOLDER_BYTES),
)

function readHolder(reader: Reader, digest: string): Principal | undefined {
  const found = findPrincipal(reader, digest)
  if (found === undefined) return undefined
  const { key_id: id, org_id, org_name, membership_tier: tier, permissions } = found
  return {
    kind: 'key',
    id,
    org_id,
    org_name,
    tier,
    permissions,
    roles: listRoles(reader, 'key', id),
    memberships: [{ org_id, org_name, membership_tier: tier, role: 'key' }],
  }
}

/** Builds the principal of a person. Memberships are read on each request: a token only proves the identity. */
function buildUserPrincipal({ reader }: AuthServices, person: Person): Principal {
  const memberships = listMemberships(reader, person.id)
  const [first] = memberships
  const best = memberships.find(membership => hasApiAccess(membership.membership_tier)) ?? first
  return {
    kind: 'user',
    id: person.id,
    person,
    memberships,
    permissions: [],
    roles: listRoles(reader, 'user', person.id),
    ...(first && { org_id: first.org_id, org_name: first.org_name }),
    tier: best?.membership_tier ?? null,
  }
}

/**
 * Builds the challenge of a 401: where to learn how to authenticate, and whether a credential was sent (RFC
 * 9728, RFC 6750).
 */
export function buildChallenge(
  baseUrl: string,
  resource: 'api' | 'mcp',
  { isCredentialSent }: { isCredentialSent: boolean },
): string {
  const metadata = `${baseUrl}/.well-known/oauth-protected-resource/${resource}`
  return `Bearer ${isCredentialSent ? 'error="invalid_token", ' : ''}resource_metadata="${metadata}"`
}
