import { setFlagsFromString } from 'node:v8'

/** Growth of the heap over its live size, in percent, before V8 collects garbage. */
const GROWING_PERCENT = 100

/**
 * Limits the heap of this process to twice its live size before garbage collection, or to what another
 * percentage says. V8 would let it grow to four times where the machine has memory; DuckDB needs that
 * memory more.
 */
export function limitHeapGrowth(percent = GROWING_PERCENT): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

/**
 * Has every object begin among the young ones. V8 makes objects of a kind that survived at the start old at once, for
 * ever: the checks of requests are of such kinds, and half a kilobyte of each request stayed until the next full collection.
 */
export function keepYoungObjectsTogether(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * Has this process return the memory of collected objects to the system while something runs. V8 would keep it for objects to come,
 * however long that takes: after a night of 200,000 domains an indexer has 270 MB of its own once it has published instead of 380,
 * and 570 instead of 640 at most. Kept up for good, it would cost the indexer 5 % of its processor time, and an API more than 8 %.
 */
export async function returnFreedMemoryDuring<Result>(
  work: () => Promise<Result>,
): Promise<Result> {
  setFlagsFromString('--optimize-for-size')
  try {
    return await work()
  } finally {
    setFlagsFromString('--no-optimize-for-size')
  }
}
