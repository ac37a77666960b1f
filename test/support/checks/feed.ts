import { readdirSync, readFileSync } from 'node:fs'
import { parseIdBytes } from '../../../pipeline/core/uuid-v7.ts'
import { EventBlock } from '../../../pipeline/serving/event-block.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'

/** Ids of the events in each store, in the order of that store. */
interface Feeds {
  index: string[]
  files: string[]
  serving: string[]
}

export async function readFeeds(registry: Sequencer): Promise<Feeds> {
  const rows = await registry.index.all<{ id: string }>(
    'select event_id as id from events order by seq, event_id',
  )
  return {
    index: rows.map(({ id }) => id),
    files: readFileIds(registry.paths.events),
    serving: [...registry.serving.entries('event')]
      .flatMap(({ value }) => {
        const block = new EventBlock(value)
        const keys = Array.from({ length: block.count }, (_, index) => block.keyAt(index))
        return keys.map(key => parseIdBytes(Buffer.from(key, 'latin1')))
      })
      .sort(),
  }
}

function readFileIds(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap(name => readFileSync(`${folder}/${name}`, 'utf8').split('\n').slice(0, -1))
    .map(line => (JSON.parse(line) as { event_id: string }).event_id)
}
