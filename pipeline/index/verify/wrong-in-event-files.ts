import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Database } from '../duckdb.ts'
import type { Paths } from '../paths.ts'
import { sha256Of } from '../snapshot.ts'
import type { Stores } from './stores.ts'

const DAY_OF_EVENT = `strftime(uuid_extract_timestamp(event_id), '%Y-%m-%d')`

export async function wrongInEventFiles({ index, paths }: Stores): Promise<string[]> {
  const days = await index.all<{ day: string }>(
    `select distinct ${DAY_OF_EVENT} as day from events order by day`,
  )
  const wrong: string[] = []
  const files = existsSync(paths.events) ? readdirSync(paths.events) : []
  const strays = files.filter(name => !days.some(({ day }) => name === `${day}.ndjson`))
  wrong.push(...strays.map(name => `events: ${name} holds events that the index has not`))
  for (const { day } of days) {
    const expected = await index.all<{ id: string }>(
      `select event_id as id from events where ${DAY_OF_EVENT} = $day order by event_id`,
      { day },
    )
    const found = existsSync(paths.eventsOf(day)) ? await idsInFile(paths.eventsOf(day)) : []
    const at = Array.from({ length: Math.max(expected.length, found.length) }, (_, i) => i).find(
      i => expected[i]?.id !== found[i],
    )
    if (at !== undefined) {
      wrong.push(
        `events: line ${at + 1} of ${day}.ndjson is ${found[at] ?? 'missing'}, should be ${expected[at]?.id ?? 'absent'}`,
      )
    }
  }
  return [...wrong, ...(await wrongInRewritten(index, paths))]
}

async function wrongInRewritten(index: Database, paths: Paths): Promise<string[]> {
  const rows = await index.all<{ day: string; sha256: string }>(
    'select day::varchar as day, sha256 from event_files order by day',
  )
  const wrong: string[] = []
  for (const { day, sha256 } of rows) {
    const file = paths.eventsOf(day)
    if (existsSync(file) && (await sha256Of(file)) !== sha256) {
      wrong.push(`events: ${day}.ndjson was changed after events were taken out of it`)
    }
  }
  return wrong
}

async function idsInFile(path: string): Promise<string[]> {
  const ids: string[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    ids.push((JSON.parse(line) as { event_id: string }).event_id)
  }
  return ids
}
