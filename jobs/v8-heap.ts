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
