import type { EventType, FeedEvent } from '../../model/event.ts'
import type { Database, Parameters } from '../../store/duckdb.ts'
import { buildBlocks, toTypeByte } from '../event-block.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './change-scope.ts'

/** The events of a scope, a list for each commit. */
export async function loadCommits(
  index: Database,
  { events, parameters }: Scope,
): Promise<FeedEvent[][]> {
  return groupBySeq(await loadEventsWhere(index, events, parameters))
}

/** The events of a commit as the serving store keeps them: in order, and again by type. */
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
     from events where ${where} order by event_id`,
    parameters,
  )
}

/** Events after one that is known, or all, in the order of the feed. */
export async function loadEventsAfter(
  index: Database,
  last: string | undefined,
): Promise<FeedEvent[]> {
  const rows =
    last === undefined
      ? await loadEventsWhere(index, 'true', {})
      : await loadEventsWhere(index, 'event_id > $last::uuid', { last })
  return rows.map(({ seq: _, ...event }) => event)
}
