import type { Concerned } from '../model/concerned.ts'
import type { EventType } from '../model/event.ts'
import type { SubscriptionFilters } from '../model/subscription.ts'
import { matchTypes } from '../read/lookups/feed-types.ts'

/** Selection of events by the filters of a subscription. */
export interface Selection {
  /** Filters from which it follows. */
  filters: SubscriptionFilters
  types: readonly EventType[]
  subject: Subject
  /** Equal for subscriptions with the same filters by domain and agent, which share bytes. */
  subjectKey: string
}

/** Domains and agents that a subscription is about; without any it is about everything. */
export interface Subject {
  domains: ReadonlySet<string>
  agents: ReadonlySet<string>
}

/** Builds the selection of these filters. */
export function buildSelection({ event_types, ...about }: SubscriptionFilters): Selection {
  const domains = [...about.domains].sort()
  const agents = [...about.agents].sort()
  return {
    filters: { event_types, domains, agents },
    types: matchTypes(event_types.length === 0 ? ['*'] : event_types),
    subject: { domains: new Set(domains), agents: new Set(agents) },
    subjectKey: JSON.stringify([domains, agents]),
  }
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
