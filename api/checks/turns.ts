import { setImmediate } from 'node:timers/promises'

/** Items that are worked on before other requests are answered. */
const ITEMS_PER_TURN = 500

/** Runs work on each item of a long list, and lets other requests be answered in between. */
export async function runInTurns<Item>(
  items: readonly Item[],
  work: (item: Item) => void,
): Promise<void> {
  for (let start = 0; start < items.length; start += ITEMS_PER_TURN) {
    if (start > 0) await setImmediate()
    for (const item of items.slice(start, start + ITEMS_PER_TURN)) work(item)
  }
}
