import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import type { FeedEvent } from '../../model/event.ts'
import { hashFile } from '../../store/checkpoint.ts'
import type { Database } from '../../store/database.ts'
import { DAY_OF_EVENT } from '../../store/event-log.ts'
import type { Paths } from '../../store/paths.ts'
import { IS_SHOWN_EVENT } from '../../store/unprojected.ts'
import type { Stores } from './stores.ts'

/** Checks that the event files have exactly the events of the index; returns a message for each fault. */
export async function checkEventFiles({ index, paths }: Stores): Promise<string[]> {
  const days = await index.all<{ day: string }>(
    `select distinct ${DAY_OF_EVENT} as day from events where ${IS_SHOWN_EVENT} order by day`,
  )
  const faults: string[] = []
  const files = existsSync(paths.events) ? readdirSync(paths.events) : []
  const strays = files.filter(name => !days.some(({ day }) => name === `${day}.ndjson`))
  faults.push(...strays.map(name => `events: ${name} has events that the index does not have`))
  for (const { day } of days) {
    const difference = await findDifference(index, paths, day)
    if (difference !== undefined) faults.push(`events: ${difference}`)
  }
  return [...faults, ...(await checkRewritten(index, paths))]
}

/** Checks files from which a take-down removed events: their hash was recorded then. */
async function checkRewritten(index: Database, paths: Paths): Promise<string[]> {
  const rows = await index.all<{ day: string; sha256: string }>(
    'select day as day, sha256 from event_files order by day',
  )
  const faults: string[] = []
  for (const { day, sha256 } of rows) {
    const file = paths.eventFile(day)
    if (existsSync(file) && (await hashFile(file)) !== sha256) {
      faults.push(`events: ${day}.ndjson was changed after events were removed from it`)
    }
  }
  return faults
}

/** Finds the first line of a day's file that differs from the index. */
async function findDifference(
  index: Database,
  paths: Paths,
  day: string,
): Promise<string | undefined> {
  const lines = readLines(paths.eventFile(day))
  let number = 0
  const differs = (found: string, expected: string) =>
    `line ${number} of ${day}.ndjson is ${found}, should be ${expected}`
  try {
    for await (const events of streamEvents(index, day)) {
      for (const event of events) {
        number++
        const { value: line, done } = await lines.next()
        const found = done ? 'missing' : readLine(line)
        if (typeof found === 'string') return differs(found, event.event_id)
        if (found.event_id !== event.event_id) return differs(found.event_id, event.event_id)
        if (!isDeepStrictEqual(found, event)) return differs('another one', event.event_id)
      }
    }
    number++
    const { value: line, done } = await lines.next()
    if (done) return undefined
    const found = readLine(line)
    return differs(typeof found === 'string' ? found : found.event_id, 'absent')
  } finally {
    await lines.return(undefined)
  }
}

function streamEvents(index: Database, day: string): AsyncIterable<FeedEvent[]> {
  return index.stream<FeedEvent>(
    `select event_id, event_type, entity_type, entity_id, payload, actor, created_at
     from events where ${DAY_OF_EVENT} = $day and ${IS_SHOWN_EVENT} order by event_id`,
    { day },
  )
}

async function* readLines(path: string): AsyncGenerator<string, undefined> {
  if (!existsSync(path)) return
  yield* createInterface({ input: createReadStream(path) })
}

function readLine(line: string): FeedEvent | string {
  try {
    return JSON.parse(line) as FeedEvent
  } catch {
    return 'damaged'
  }
}
