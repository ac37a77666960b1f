/**
 * Wraps work so that calls after `seconds` do nothing. A property is bounded this way without breaking
 * it off in the middle, when the stores below it would be closed.
 */
export function limitTime<Args extends unknown[]>(
  seconds: number,
  work: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  const end = performance.now() + seconds * 1_000
  return async (...args) => {
    if (performance.now() < end) await work(...args)
  }
}
