import { toIso } from '../../core/clock.ts'
import type { EventDraft } from '../../model/event.ts'
import type { PublisherRow } from '../../model/rows.ts'
import { listPublisherFiles } from '../../resolve/deciding-files.ts'
import type { Files } from '../derivation-files.ts'
import type { Leavings } from './agents.ts'

/**
 * Adds when the files of a publisher were last read to the events of properties that are stale because one of
 * them fails: the least recent time counts.
 */
export function addLastResolved(
  events: readonly EventDraft[],
  publisher: PublisherRow | undefined,
  files: Files,
): readonly EventDraft[] {
  const isFailing = ({ event_type, payload }: EventDraft) =>
    event_type === 'property.stale' && payload.reason === 'validation_failed'
  if (publisher === undefined || !events.some(isFailing)) return events
  const read = listPublisherFiles(publisher).flatMap(
    source => files.get(source).state?.succeeded_at ?? [],
  )
  if (read.length === 0) return events
  const last_resolved_at = toIso(Math.min(...read))
  return events.map(draft =>
    isFailing(draft) ? { ...draft, payload: { ...draft.payload, last_resolved_at } } : draft,
  )
}

/** Lists the publishers that no longer name an agent, by agent. */
export function groupLeavings(
  touched: readonly { domain: string; left: readonly string[] }[],
): Leavings {
  const left = new Map<string, string[]>()
  for (const { domain, left: agents } of touched) {
    for (const agent of agents) {
      const domains = left.get(agent)
      if (domains) domains.push(domain)
      else left.set(agent, [domain])
    }
  }
  return left
}
