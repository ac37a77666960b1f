/** Product name of the crawler, in its User-Agent and in robots.txt. */
export const PRODUCT = 'AgenticAdRegistry'

/** Builds the header `User-Agent` of every request that a crawler sends. */
export function buildUserAgent(contact: string): string {
  return `${PRODUCT}/1.0 (+${contact})`
}
