import { setImmediate } from 'node:timers/promises'

/** Work that pauses now and then, so that it can be done a slice at a time. */
export type Slices<Result> = Generator<undefined, Result>

/** How long one slice may hold up whoever else waits for this thread, in ms. */
const SLICE_MS = 2

/** Does work in slices; others get their turn in between. Before each slice `mayGoOn` may throw. */
export async function inSlices<Result>(work: Slices<Result>, mayGoOn: () => void): Promise<Result> {
  for (;;) {
    mayGoOn()
    const until = performance.now() + SLICE_MS
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      if (performance.now() > until) break
    }
    await setImmediate()
  }
}
