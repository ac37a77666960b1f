import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { type Instant, toDay, toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { toInstant } from '../../core/uuid-v7.ts'
import type { FeedEvent } from '../../model/event.ts'
import type { Entry, ServingStore } from '../../serving/lmdb.ts'
import { projectEvents } from '../../serving/projections/events.ts'
import type { Database } from '../../store/database.ts'
import { buildNamesPattern } from '../../store/domain-match.ts'
import { replaceFile } from '../../store/durable-files.ts'
import type { Paths } from '../../store/paths.ts'
import { forgetUnprojectedEvents, IS_SHOWN_EVENT } from '../../store/unprojected.ts'
import type { TreeLog } from '../../transparency/tree-log.ts'
import { dropOldBodies } from '../retention.ts'
import { NAMES_DOMAINS } from './deleted-rows.ts'

interface Stores {
  index: Database
  serving: ServingStore
  paths: Paths
  treeLog: TreeLog
}

type Stored = FeedEvent & { seq: number }

/**
 * Deletes every event that names one of the domains from all copies of the feed, and the bytes of deleted
 * documents. In the tamper-evident log the hashes of the events stay. The index is last, so that an interrupted run is found and repeated. A reader whose cursor was
 * such an event gets an expired cursor.
 */
export async function erase(
  { index, serving, paths, treeLog }: Stores,
  domains: readonly Domain[],
  now: Instant,
): Promise<void> {
  const pattern = buildNamesPattern(domains)
  // Quarantined events are in no copy, and cannot be read.
  await index.write('delete from', 'events', `where not (${IS_SHOWN_EVENT}) and ${NAMES_DOMAINS}`, {
    pattern,
  })
  await forgetUnprojectedEvents(index)
  const touched = await index.all<Stored>(
    `select event_id, event_type, entity_type, entity_id, payload, actor, created_at, seq from events
     where ${IS_SHOWN_EVENT} and seq in (select seq from events where ${NAMES_DOMAINS})
     order by event_id`,
    { pattern },
  )
  const named = new RegExp(pattern)
  const gone = new Set(
    touched
      .filter(({ entity_id, payload }) => named.test(`${entity_id} ${JSON.stringify(payload)}`))
      .map(({ event_id }) => event_id),
  )
  serving.write(rebuildBlocks(touched, gone), serving.seq)
  await treeLog.erase([...gone])
  await rewriteFiles(index, paths, gone, now)
  await index.write(
    'delete from',
    'events',
    `where event_id in (select value from json_each($gone))`,
    { gone: JSON.stringify([...gone]) },
  )
  await index.write('delete from', 'changes', '')
  await dropOldBodies(index, paths, Number.POSITIVE_INFINITY)
}

/** Rebuilds the event blocks of these commits with the events that are left. */
function rebuildBlocks(touched: readonly Stored[], gone: ReadonlySet<string>): Entry[] {
  const commits = [...Map.groupBy(touched, ({ seq }) => seq).values()].map(commit =>
    commit.map(({ seq: _, ...event }) => event),
  )
  const before = commits.flatMap(projectEvents)
  const left = commits.map(commit => commit.filter(({ event_id }) => !gone.has(event_id)))
  return [...before.map(entry => ({ ...entry, value: undefined })), ...left.flatMap(projectEvents)]
}

/** Rewrites the event files. Files of past days are sealed, so their new sizes are recorded. */
async function rewriteFiles(
  index: Database,
  paths: Paths,
  gone: ReadonlySet<string>,
  now: Instant,
): Promise<void> {
  for (const day of new Set([...gone].map(id => toDay(toInstant(id))))) {
    const file = paths.eventFile(day)
    if (!existsSync(file)) continue
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const left = lines.filter(line => !gone.has((JSON.parse(line) as FeedEvent).event_id))
    const text = left.map(line => `${line}\n`).join('')
    if (left.length === 0) rmSync(file)
    else replaceFile(file, text)
    if (day === toDay(now)) continue
    const sha256 = createHash('sha256').update(text).digest('hex')
    await index.write('delete from', 'event_files', 'where day = $day', { day })
    await index.insert('event_files', [{ day, sha256, rewritten_at: toIso(now) }])
  }
}
