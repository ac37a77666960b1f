import { z } from 'zod'
import { isReadOnly, keyPermissions, membershipRoles } from '../core/roles.ts'
import { tierNames } from '../core/tiers.ts'

const name = z.string().trim().min(1).max(200)
/** Name or id of an organization. */
const org = name
const user_id = z.string().min(1).max(255)

/** A public key of the identity provider (JWK, RFC 7517); members that are not listed here are dropped. */
export const IssuerKey = z.discriminatedUnion('kty', [
  z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string(), ...buildKeyFields() }),
  z.object({
    kty: z.literal('EC'),
    crv: z.string(),
    x: z.string(),
    y: z.string(),
    ...buildKeyFields(),
  }),
  z.object({ kty: z.literal('OKP'), crv: z.string(), x: z.string(), ...buildKeyFields() }),
])
export type IssuerKey = z.infer<typeof IssuerKey>

function buildKeyFields() {
  return {
    kid: z.string().max(200).exactOptional(),
    alg: z.string().max(20).exactOptional(),
    use: z.literal('sig').exactOptional(),
  }
}

const endpoint = z.url({ protocol: /^https?$/ }).max(2_000)
const names = z.array(z.string().max(200)).max(50)

/** The published part of an authorization server's metadata (RFC 8414). */
export const AuthorizationServer = z
  .object({
    issuer: z.string().describe('Name of the identity provider, as in the `iss` of its tokens'),
    authorization_endpoint: endpoint.describe('URL at which people sign in and give their consent'),
    token_endpoint: endpoint.describe('URL at which tokens are issued and renewed'),
    registration_endpoint: endpoint
      .exactOptional()
      .describe('URL at which clients register; absent if clients cannot'),
    revocation_endpoint: endpoint
      .exactOptional()
      .describe('URL at which tokens are revoked; absent if this is not supported'),
    jwks_uri: endpoint.exactOptional().describe('URL of the keys that tokens are signed with'),
    response_types_supported: names
      .exactOptional()
      .describe('Supported response types, such as `code`; absent if not published'),
    grant_types_supported: names
      .exactOptional()
      .describe('Supported grant types, such as `refresh_token`; absent if not published'),
    code_challenge_methods_supported: names
      .exactOptional()
      .describe('PKCE methods, such as `S256`; absent if not published'),
    token_endpoint_auth_methods_supported: names
      .exactOptional()
      .describe('How clients authenticate to get a token; absent if not published'),
    authorization_response_iss_parameter_supported: z
      .boolean()
      .exactOptional()
      .describe('Whether a response names the issuer in `iss` (RFC 9207); absent if not published'),
    scopes_supported: names.exactOptional().describe('Supported scopes; absent if not published'),
  })
  .meta({
    id: 'AuthorizationServer',
    description: 'Metadata of the identity provider that issues access tokens (RFC 8414)',
  })
export type AuthorizationServer = z.infer<typeof AuthorizationServer>

/** The identity provider whose tokens are accepted. */
export const Issuer = z.object({
  issuer: z.string().max(2_000),
  keys: z.array(IssuerKey).min(1).max(100),
  /** Null if it publishes no metadata about itself. */
  server: AuthorizationServer.nullable(),
})
export type Issuer = z.infer<typeof Issuer>

/** Operations on identities and memberships. */
export const identityOperations = [
  z.object({
    op: z.literal('membership.set'),
    org,
    user_id,
    role: z.enum(membershipRoles),
  }),
  z.object({ op: z.literal('membership.remove'), org, user_id }),
  /** Changes the role of somebody who belongs to the organization, which keeps an owner. */
  z.object({
    op: z.literal('membership.change'),
    org_id: z.uuid(),
    user_id,
    role: z.enum(membershipRoles),
  }),
  /** Removes somebody from the organization, which keeps an owner. */
  z.object({ op: z.literal('membership.end'), org_id: z.uuid(), user_id }),
  /** The person leaves the organization, which keeps an owner. */
  z.object({ op: z.literal('membership.leave'), org_id: z.uuid(), user_id }),
  z.object({ op: z.literal('issuer.set'), ...Issuer.shape }),
] as const

/** One organization that a person belongs to. */
export const Membership = z.object({
  org_id: z.string(),
  org_name: z.string(),
  membership_tier: z.enum(tierNames).nullable(),
  role: z.enum(membershipRoles),
})
export type Membership = z.infer<typeof Membership>

/** Permissions of a new key. One that only reads has no other. */
export const NewKeyPermissions = z
  .array(z.enum(keyPermissions))
  .max(keyPermissions.length)
  .refine(
    permissions => !isReadOnly(permissions) || permissions.every(name => name === 'read'),
    'cannot contain `read` and another permission: a key with `read` changes nothing, and a key with another one can',
  )

/** An organization's API key, without its secret. */
export const StoredPrincipal = z.object({
  key_id: z.string(),
  org_id: z.string(),
  org_name: z.string(),
  membership_tier: z.enum(tierNames).nullable(),
  label: z.string(),
  permissions: z.array(z.enum(keyPermissions)),
  created_at: z.string(),
})
export type StoredPrincipal = z.infer<typeof StoredPrincipal>

/** First characters of a key, by which people recognize it: 24 of the 256 bits of its secret. */
export const KeyPrefix = z.string().regex(/^sk_[\w-]{4}$/)
export const KEY_PREFIX_CHARS = 7

/** An active key as its managers see it, without its secret. */
export const ApiKey = z
  .object({
    id: z.string().describe('ID of the key, for revoking it'),
    prefix: KeyPrefix.nullable().describe(
      'First characters of the key, for recognizing it; null for an old key, whose characters were not stored',
    ),
    name: z.string().describe('Name of the key in its organization'),
    permissions: z.array(z.enum(keyPermissions)).describe('Permissions; empty for a standard key'),
    created_at: z.string().describe('Time at which the key was created'),
  })
  .meta({ id: 'ApiKey', description: 'An API key of an organization, without its secret' })
export type ApiKey = z.infer<typeof ApiKey>
