/** Key of every answer that a cache in front of the API may share. */
export const ALL_KEY = 'all'

/** Key of answers that may change with any commit, since they join several documents. */
export const ANY_KEY = 'any'

/** Builds the key of answers that are one document of a domain. */
export function toDomainKey(domain: string): string {
  return `domain/${domain}`
}
