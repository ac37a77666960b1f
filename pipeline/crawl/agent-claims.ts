import { parsePublisherDomain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import { getFirst } from '../core/present.ts'
import { isObject, type ObjectReader } from '../parse/object-reader.ts'
import { hasList } from './agent-blocks.ts'

/** Lists the publishers of a list of domains, or of properties that name theirs; sorted and distinct. */
export function listPublishers(list: unknown, { agentClaims }: Limits): string[] {
  if (!Array.isArray(list)) return []
  const domains = list.slice(0, agentClaims).flatMap(item => {
    const named = isObject(item) ? (item.publisher_domain ?? item.domain) : item
    return parsePublisherDomain(named) ?? []
  })
  return [...new Set(domains)].sort()
}

/**
 * Reads the answer of the task that lists an agent's properties: publishers, or properties. Undefined
 * when it lists neither.
 */
export function readClaims(part: ObjectReader, limits: Limits): string[] | undefined {
  const keys = ['publisher_domains', 'properties']
  const key = keys.find(candidate => Array.isArray(part.value[candidate])) ?? getFirst(keys)
  return hasList(part, key) ? listPublishers(part.value[key], limits) : undefined
}
