import type { EventType, FeedEvent } from '../../model/event.ts'
import { bisect, isDataFault } from '../../store/bisect.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { EVENTS_PART, IS_SHOWN_EVENT, type Unprojected } from '../../store/unprojected.ts'
import { buildBlocks, toTypeByte } from '../event-block.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './scope.ts'

/** Loads the events of a scope, a list for each commit. */
export async function loadCommits(
  index: Database,
  { events, parameters }: Scope,
): Promise<FeedEvent[][]> {
  return groupBySeq(await loadEventsWhere(index, events, parameters))
}

/** Entries of a scope's events, and the events that could not be projected. */
export interface ShownEvents {
  entries: Entry[]
  events: FeedEvent[]
  unprojected: Unprojected[]
}

/**
 * Projects the events of a scope. Where some cannot be read or encoded, the others are projected without
 * them, so that one event never ends the feed.
 */
export async function projectReadableEvents(index: Database, scope: Scope): Promise<ShownEvents> {
  if (scope.events === '') return { entries: [], events: [], unprojected: [] }
  const unprojected: Unprojected[] = []
  const commits = await loadCommits(index, scope).catch(async error => {
    if (!isDataFault(error)) throw error
    return groupBySeq(await loadReadable(index, scope, unprojected))
  })
  return { entries: commits.flatMap(projectEvents), events: commits.flat(), unprojected }
}

/** Loads the events of a scope. Events that cannot be read are left out and added to `unprojected`. */
async function loadReadable(
  index: Database,
  { events, parameters }: Scope,
  unprojected: Unprojected[],
): Promise<StoredEvent[]> {
  const ids = await index.all<{ event_id: string }>(
    `select event_id from events where ${events} order by +event_id`,
    parameters,
  )
  const readable: StoredEvent[] = []
  await bisect(
    ids.map(({ event_id }) => event_id),
    async some => {
      const where = `event_id in (select value from json_each($ids))`
      readable.push(...(await loadEventsWhere(index, where, { ids: JSON.stringify(some) })))
    },
    (subject, { message }) =>
      unprojected.push({ part: EVENTS_PART, subject, reason: message.slice(0, 500) }),
  )
  return readable
}

/** Projects the events of a commit to the serving store: in order, and again by type. */
export function projectEvents(events: readonly FeedEvent[]): Entry[] {
  const byType = new Map<EventType, FeedEvent[]>()
  for (const event of events) {
    const same = byType.get(event.event_type)
    if (same) same.push(event)
    else byType.set(event.event_type, [event])
  }
  const log = buildBlocks(events).map(({ id, value }) => ({
    space: 'event' as const,
    key: id,
    value,
  }))
  const ofTypes = [...byType].flatMap(([type, same]) => {
    const prefix = Buffer.from([toTypeByte(type)])
    return buildBlocks(same).map(({ id, value }) => ({
      space: 'event_by_type' as const,
      key: Buffer.concat([prefix, id]),
      value,
    }))
  })
  return [...log, ...ofTypes]
}

function groupBySeq(rows: readonly StoredEvent[]): FeedEvent[][] {
  const commits = new Map<number, FeedEvent[]>()
  for (const { seq, ...event } of rows) {
    const commit = commits.get(seq)
    if (commit) commit.push(event)
    else commits.set(seq, [event])
  }
  return [...commits.values()]
}

type StoredEvent = FeedEvent & { seq: number }

function loadEventsWhere(
  index: Database,
  where: string,
  parameters: Parameters,
): Promise<StoredEvent[]> {
  return index.all(
    `select event_id, event_type, entity_type, entity_id, payload, actor, created_at, seq
     from events where ${where} order by +event_id`,
    parameters,
  )
}

/** Loads the events after one that is known, or all, in the order of the feed; quarantined ones are left out. */
export async function loadEventsAfter(
  index: Database,
  last: string | undefined,
): Promise<FeedEvent[]> {
  const rows =
    last === undefined
      ? await loadEventsWhere(index, IS_SHOWN_EVENT, {})
      : await loadEventsWhere(index, `event_id > $last and ${IS_SHOWN_EVENT}`, { last })
  return rows.map(({ seq: _, ...event }) => event)
}
