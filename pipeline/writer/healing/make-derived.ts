import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { toIso } from '../../core/clock.ts'
import type { FeedEvent } from '../../model/event.ts'
import { ServingStore } from '../../serving/lmdb.ts'
import { buildScopeOfSlice, sliceCount } from '../../serving/projections/change-scope.ts'
import { projectReadableEvents } from '../../serving/projections/events.ts'
import { projectInSlices } from '../../serving/projections/project-slices.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { replaceFolder, syncPath } from '../../store/durable-files.ts'
import { DAY_OF_EVENT, EventLog } from '../../store/event-log.ts'
import type { Paths } from '../../store/paths.ts'
import { IS_SHOWN_EVENT, replaceUnprojected, type Unprojected } from '../../store/unprojected.ts'
import type { Facts } from './facts.ts'

const EVENTS_PER_PAGE = 50_000

/**
 * Makes the serving store and the event files, and has what else was made from another index made again.
 * Returns who has no answer in it, since none can be made from their rows.
 */
export async function makeDerived(paths: Paths, facts: Facts): Promise<Unprojected[]> {
  const unprojected = await makeServing(paths, facts)
  await makeEventFiles(paths, facts.index)
  for (const made of [paths.columnar, paths.checkpoint, paths.searchCheckpoint])
    rmSync(made, { force: true })
  return unprojected
}

/**
 * Makes the serving store from the index and the accounts, and puts it in its place. Quarantines and
 * returns those whose answer cannot be made: none was kept of them.
 */
export async function makeServing(
  paths: Paths,
  { index, accounts }: Facts,
): Promise<Unprojected[]> {
  const fresh = `${paths.serving}.new`
  rmSync(fresh, { recursive: true, force: true })
  const store = ServingStore.open(`${fresh}/serving.mdb`)
  const count = await sliceCount(index)
  const last = await index.one<{ seq: number; at: number }>(
    'select seq, coalesce(committed_at, 0) as at from meta',
  )
  const unprojected: Unprojected[] = []
  for (let slice = 0; slice < count; slice++) {
    const scope = await buildScopeOfSlice(index, slice, count, last?.at ?? 0)
    const made = await projectInSlices({ index, accounts }, scope, part => store.writePart(part))
    const events = await projectReadableEvents(index, scope)
    unprojected.push(...made.unprojected, ...events.unprojected)
    store.writePart(events.entries)
  }
  const seq = last?.seq ?? 0
  await replaceUnprojected(index, unprojected, { seq, at: toIso(last?.at ?? 0) })
  store.write([], seq)
  await store.close()
  replaceFolder(fresh, paths.serving)
  return unprojected
}

/** Makes the event files from the index, and puts them in their place. */
export async function makeEventFiles(paths: Paths, index: Database): Promise<void> {
  const fresh = `${paths.events}.new`
  rmSync(fresh, { recursive: true, force: true })
  await writeEvents(paths, index, fresh, 'true', {})
  replaceFolder(fresh, paths.events)
}

/** Makes the file of one UTC day again. */
export async function makeEventFile(paths: Paths, index: Database, day: string): Promise<void> {
  const fresh = `${paths.events}.new`
  rmSync(fresh, { recursive: true, force: true })
  await writeEvents(paths, index, fresh, `${DAY_OF_EVENT} = $day`, { day })
  const made = `${fresh}/${day}.ndjson`
  if (existsSync(made)) {
    mkdirSync(paths.events, { recursive: true })
    renameSync(made, paths.eventFile(day))
    syncPath(paths.events)
  }
  rmSync(fresh, { recursive: true, force: true })
}

async function writeEvents(
  paths: Paths,
  index: Database,
  folder: string,
  which: string,
  parameters: Parameters,
): Promise<void> {
  const nameEventFile = (day: string) => `${folder}/${day}.ndjson`
  const file = new EventLog({ ...paths, events: folder, eventFile: nameEventFile })
  for (;;) {
    const page = await index.all<FeedEvent>(
      `select event_id, event_type, entity_type, entity_id, payload, actor, created_at
       from events where ${which} and ${IS_SHOWN_EVENT} and ($last is null or event_id > $last)
       order by event_id limit ${EVENTS_PER_PAGE}`,
      { ...parameters, last: file.last ?? null },
    )
    if (page.length === 0) break
    file.append(page)
  }
}
