import type { WatchedChange } from '../../model/watched-change.ts'
import { toPair, type WatchedEvent, type WatchedRows } from './watched-rows.ts'

type Grants = WatchedRows['grants']

/** Finds agents that a publisher authorizes now and did not before, and the other way round. */
export function findGrantChanges(events: readonly WatchedEvent[], grants: Grants): WatchedChange[] {
  return listChangedPairs(events, grants).map(({ agent, at, isGained }) => ({
    what: isGained ? 'agent_gained' : 'agent_lost',
    agent,
    at,
  }))
}

/** Finds publishers that authorize an agent now or no longer, its new test results and its badges. */
export function findAgentChanges(events: readonly WatchedEvent[], grants: Grants): WatchedChange[] {
  const pairs = listChangedPairs(events, grants).map(
    ({ domain, at, isGained }): WatchedChange => ({
      what: isGained ? 'publisher_gained' : 'publisher_lost',
      domain,
      at,
    }),
  )
  return [...pairs, ...events.flatMap(toOwnChanges)]
}

function toOwnChanges({ event_type, at, role, ...event }: WatchedEvent): WatchedChange[] {
  switch (event_type) {
    case 'agent.compliance_changed': {
      const { previous_status: before, current_status: now } = event
      return before === now ? [] : [{ what: 'tests', before: before ?? '', now: now ?? '', at }]
    }
    case 'agent.verification_earned':
      return [{ what: 'badge_earned', role: role ?? '', at }]
    case 'agent.verification_lost':
      return [{ what: 'badge_lost', role: role ?? '', at }]
    default:
      return []
  }
}

/**
 * Lists pairs of a publisher and an agent that have a grant now and had none before the events, or the other way
 * round. A grant that only replaced another one changes nothing here.
 */
function listChangedPairs(events: readonly WatchedEvent[], grants: Grants) {
  const ofGrants = events.filter(({ domain }) => domain !== null)
  const pairs = Map.groupBy(ofGrants, ({ domain, agent }) => toPair(domain ?? '', agent))
  return [...pairs].flatMap(([pair, all]) => {
    const last = all.at(-1)
    const now = grants.get(pair) ?? 0
    const gained = all.filter(({ event_type }) => event_type === 'authorization.granted').length
    const before = now - gained + (all.length - gained)
    if (last === undefined || now > 0 === before > 0) return []
    return [{ domain: last.domain ?? '', agent: last.agent, at: last.at, isGained: now > 0 }]
  })
}
