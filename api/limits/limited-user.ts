/** A caller, as limits per user count it. */
interface Caller {
  id: string
  org_id?: string
  person?: object
}

/**
 * Converts a caller to the user that is limited. A key can create keys, so all keys of an organization are
 * one user.
 */
export function toLimitedUser({ person, org_id, id }: Caller): string {
  return person === undefined ? (org_id ?? id) : id
}
