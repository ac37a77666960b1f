import { setFlagsFromString } from 'node:v8'

/** What may be added to what lives, until it is looked for what does not any more. */
const GROWING_PERCENT = 100

/**
 * Has the heap of this process grow to twice what lives in it before that is collected. V8 lets it grow
 * four times as large where the machine has memory; that is the price of a little less work, which a
 * process that shares the memory with DuckDB cannot pay.
 */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
}
