import type { FeedEvent } from '../model/event.ts'

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

/** Domains and agents that a subscription is about; without any it is about everything. */
export interface Subject {
  domains: ReadonlySet<string>
  agents: ReadonlySet<string>
}

/** Tells whether a subject has no filter by domain or agent. */
export function isAboutEverything({ domains, agents }: Subject): boolean {
  return domains.size === 0 && agents.size === 0
}

/** Tells whether an event concerns one of the domains, or one of the agents. */
export function isAbout(concerned: Concerned, { domains, agents }: Subject): boolean {
  return (
    concerned.domains.some(domain => domains.has(domain)) ||
    concerned.agents.some(agent => agents.has(agent))
  )
}
