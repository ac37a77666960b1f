import { setImmediate } from 'node:timers/promises'

/** Items between two turns of the event loop, in which other requests are answered. */
const CHUNK_ITEMS = 500

/** Runs synchronous work on each item of a long list, and yields to the event loop between chunks. */
export async function runInChunks<Item>(
  items: readonly Item[],
  work: (item: Item) => void,
): Promise<void> {
  for (let start = 0; start < items.length; start += CHUNK_ITEMS) {
    if (start > 0) await setImmediate()
    for (const item of items.slice(start, start + CHUNK_ITEMS)) work(item)
  }
}
