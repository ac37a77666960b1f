import { hash } from 'node:crypto'
import { refuse } from '../pipeline/core/errors.ts'
import type { Tier } from '../pipeline/core/membership.ts'
import { findPrincipal } from '../pipeline/index/points/principals.ts'
import { rolesOf } from '../pipeline/index/points/roles.ts'
import type { Reader } from '../pipeline/index/reader.ts'

/** Who asks. For limits per user a key is its own user. */
export interface Principal {
  kind: 'key'
  id: string
  org_id: string
  org_name: string
  /** The membership of the organization; null when it has none that counts. */
  tier: Tier | null
  /** What else the caller may do. */
  roles: readonly string[]
}

const BEARER = /^bearer +(\S+) *$/i
const API_KEY = /^sk_[\x21-\x7e]{1,250}$/

/** The caller that an `Authorization` header names; refuses with 401 when it names none. */
export function authenticate(reader: Reader, authorization: string | undefined): Principal {
  if (authorization === undefined) {
    return refuse('unauthenticated', 'a credential is needed: Authorization: Bearer sk_…')
  }
  return (
    recognise(reader, authorization) ?? refuse('unauthenticated', 'the credential is not valid')
  )
}

/** The caller that an `Authorization` header names, if it names one. */
export function recognise(
  reader: Reader,
  authorization: string | undefined,
): Principal | undefined {
  const token = BEARER.exec(authorization ?? '')?.[1] ?? ''
  const found = API_KEY.test(token)
    ? findPrincipal(reader, hash('sha256', token, 'hex'))
    : undefined
  if (found === undefined) return undefined
  const { key_id: id, org_id, org_name, membership_tier: tier } = found
  return { kind: 'key', id, org_id, org_name, tier, roles: rolesOf(reader, 'key', id) }
}

/** What a 401 answers: how to authenticate, and whether something was tried (RFC 6750). */
export function challenge(wasTried: boolean): string {
  return wasTried ? 'Bearer realm="registry", error="invalid_token"' : 'Bearer realm="registry"'
}
