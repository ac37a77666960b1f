/** The parts of a caller that decide how limits per user count it. */
interface Caller {
  id: string
  org_id?: string
  person?: object
}

/**
 * Converts a caller to the id by which limits per user count it. All keys of an organization count as one
 * user, since a key can create further keys.
 */
export function toLimitedUser({ person, org_id, id }: Caller): string {
  return person === undefined ? (org_id ?? id) : id
}
