import type { AgentEntry } from './documents/index.ts'

/**
 * Publishers that the entries of one file may name, each counted again for every selector that names it:
 * room for a network of 6,800 publishers with 48 agents.
 */
export const CLAIMS_MAX = 350_000

/**
 * Returns the first entries whose claims about other publishers fit within the limit; each publisher named is
 * stored as a row.
 */
export function limitClaims(agents: readonly AgentEntry[], domain: string): readonly AgentEntry[] {
  let left = CLAIMS_MAX
  const first = agents.findIndex(({ authorization_type, publisher_properties = [] }) => {
    if (authorization_type !== 'publisher_properties') return false
    for (const { publisher_domains } of publisher_properties) {
      left -= publisher_domains.filter(name => name !== domain).length
    }
    return left < 0
  })
  return first < 0 ? agents : agents.slice(0, first)
}
