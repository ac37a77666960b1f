/** Key of every answer that a cache in front of the API may share. */
export const ALL_KEY = 'all'

/** Key of answers that any commit may change, such as those of pages. */
export const ANY_KEY = 'any'

/** Key of answers that a published snapshot or its search file may change. */
export const SNAPSHOT_KEY = 'snapshot'

/** Key of answers that show members. */
export const MEMBERS_KEY = 'members'

/** Keys of answers that show any policy, and any mirror: these change rarely. */
export const POLICIES_KEY = 'policies'
export const MIRRORS_KEY = 'mirrors'

/** Key of answers that show operators: a brand.json may name an agent that another one is asked about. */
export const NAMING_KEY = 'naming'

/** Kinds of things of which each one has a key. */
export type SubjectKind = 'domain' | 'file' | 'agent' | 'identifier'

/** Builds the key of one thing. Where a commit has too many of a kind, the kind stands for all of them. */
export function toSurrogateKey(kind: SubjectKind, id: string): string {
  return `${kind}/${id}`
}

/** Returns the kind of a key; keys of no thing are their own. */
export function toKeyKind(key: string): string {
  return key.slice(0, (key.indexOf('/') + 1 || key.length + 1) - 1)
}
