import { parsePublisherDomain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import { isObject, type JsonObject } from './part.ts'

/** The publishers of a list of domains, or of properties that name theirs; sorted, each once. */
export function publishersIn(list: unknown, { agentClaims }: Limits): string[] {
  if (!Array.isArray(list)) return []
  const domains = list.slice(0, agentClaims).flatMap(item => {
    const named = isObject(item) ? (item.publisher_domain ?? item.domain) : item
    return parsePublisherDomain(named) ?? []
  })
  return [...new Set(domains)].sort()
}

/** What the task that lists an agent's properties answered: their publishers, or the properties. */
export function readClaims(payload: JsonObject, limits: Limits): string[] {
  return publishersIn(payload.publisher_domains ?? payload.properties, limits)
}
