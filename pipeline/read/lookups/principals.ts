import type { Membership, StoredUser } from '../../model/identity.ts'
import type { StoredPrincipal } from '../../model/responses/index.ts'
import type { Reader } from '../reader.ts'

/** Finds the valid API key with this SHA-256 (hex). */
export function findPrincipal(reader: Reader, hash: string): StoredPrincipal | undefined {
  const value = reader.serving?.get('principal', hash)
  return value === undefined ? undefined : (parse(value) as StoredPrincipal)
}

/** Lists the active keys of an organization, oldest first. */
export function listKeys(reader: Reader, org_id: string): StoredPrincipal[] {
  const entries = reader.serving?.range('org_key', org_id) ?? []
  const keys = Array.from(entries, ({ value }) => parse(value) as StoredPrincipal)
  return keys.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}

/** Lists the organizations that a person belongs to, oldest membership first. */
export function listMemberships(reader: Reader, userId: string): readonly Membership[] {
  const value = reader.serving?.get('user', userId)
  return value === undefined ? [] : (parse(value) as StoredUser).memberships
}

function parse(value: Uint8Array): unknown {
  return JSON.parse(Buffer.from(value).toString())
}
