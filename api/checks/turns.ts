import { setImmediate } from 'node:timers/promises'

const AT_A_TIME = 500

/** Runs work on each item of a long list, and lets other requests be answered in between. */
export async function runInTurns<Item>(
  items: readonly Item[],
  work: (item: Item) => void,
): Promise<void> {
  for (let start = 0; start < items.length; start += AT_A_TIME) {
    if (start > 0) await setImmediate()
    for (const item of items.slice(start, start + AT_A_TIME)) work(item)
  }
}
