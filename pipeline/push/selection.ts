import type { Concerned } from '../model/concerned.ts'

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
