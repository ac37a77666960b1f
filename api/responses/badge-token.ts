import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Instant } from '../../pipeline/core/clock.ts'
import type { RegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { BADGE_MODES, type Badge, badgeRoles } from '../../pipeline/model/badge.ts'
import { findVersion } from '../../pipeline/storyboards/catalog.ts'

/** `typ` of the token, so that no other token of the registry passes for a badge. */
const BADGE_TOKEN_TYPE = 'badge+jwt'

/** Claims of a badge's token. */
export interface BadgeClaims {
  agent_url: string
  role: (typeof badgeRoles)[number]
  adcp_version: string
  expires_at: Instant
}

export type ReadToken = BadgeClaims | 'expired' | 'not_signed_here'

/** Signs a badge. The token ends when the badge does, unless a full run passes before. */
export function signBadge(
  { signers }: RegistryKeys,
  agent_url: string,
  badge: Badge,
  { issuer, now }: { issuer: string; now: Instant },
): Promise<string> {
  const { kid, privateKey } = signers['badge-signing']
  const { role, adcp_version, verified_specialisms, verified_at, expires_at } = badge
  return new SignJWT({
    agent_url,
    role,
    adcp_version,
    verified_specialisms,
    verified_at,
    verification_modes: [...BADGE_MODES],
    protocol_version: findVersion(adcp_version) ?? adcp_version,
  })
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: BADGE_TOKEN_TYPE })
    .setIssuer(issuer)
    .setSubject(agent_url)
    .setAudience(issuer)
    .setJti(`${agent_url} ${role} ${adcp_version} ${verified_at}`)
    .setIssuedAt(toSeconds(now))
    .setExpirationTime(toSeconds(Date.parse(expires_at)))
    .sign(privateKey)
}

/** Verifies a token and reads its claims, or returns why it is not valid. */
export async function readBadgeToken(
  { published }: RegistryKeys,
  token: string,
  { issuer, now }: { issuer: string; now: Instant },
): Promise<ReadToken> {
  const keys = createLocalJWKSet({ keys: published.filter(isForBadges).map(key => ({ ...key })) })
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['EdDSA'],
      typ: BADGE_TOKEN_TYPE,
      issuer,
      audience: issuer,
      requiredClaims: ['exp', 'iat', 'sub'],
      currentDate: new Date(now),
    })
    return readClaims(payload)
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'expired' : 'not_signed_here'
  }
}

/** Tells whether a published key signs badges: its purpose is a member that is named after the protocol. */
function isForBadges(key: object): boolean {
  return Object.values(key).includes('badge-signing')
}

function readClaims({ sub, exp, role, adcp_version }: JWTPayload): ReadToken {
  const known = badgeRoles.find(name => name === role)
  if (known === undefined || typeof adcp_version !== 'string') return 'not_signed_here'
  const expires_at = requireValue(exp, 'time of expiry') * 1_000
  return { agent_url: requireValue(sub, 'subject'), role: known, adcp_version, expires_at }
}

function toSeconds(instant: Instant): number {
  return Math.floor(instant / 1_000)
}
