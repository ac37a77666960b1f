import type { FeedEvent } from './event.ts'

/** Domains and agents that an event names. */
export interface Concerned {
  domains: readonly string[]
  agents: readonly string[]
}

/** Finds the publishers and agents that an event concerns, by its payload and its entity. */
export function findConcerned({ entity_type, entity_id, payload }: FeedEvent): Concerned {
  const { publisher_domain, manager_domain, agent_url } = payload
  const own = (type: string) => (entity_type === type ? entity_id : undefined)
  const texts = (...values: unknown[]) =>
    values.filter((value): value is string => typeof value === 'string')
  return {
    domains: texts(publisher_domain, manager_domain, own('publisher')),
    agents: texts(agent_url, own('agent')),
  }
}
