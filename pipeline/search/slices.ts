import { setImmediate } from 'node:timers/promises'

/** Work that pauses now and then, so that it can be done a slice at a time. */
export type Slices<Result> = Generator<undefined, Result>

/** Longest time in ms that one slice may hold up other work of this thread. */
const SLICE_MS = 2

/** Runs work in slices, with a pause for other work in between. Before each slice `mayGoOn` may throw. */
export async function runInSlices<Result>(
  slices: Slices<Result>,
  mayGoOn: () => void,
): Promise<Result> {
  for (;;) {
    mayGoOn()
    const until = performance.now() + SLICE_MS
    for (;;) {
      const step = slices.next()
      if (step.done) return step.value
      if (performance.now() > until) break
    }
    await setImmediate()
  }
}
