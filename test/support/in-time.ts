/**
 * Work that is done until so many seconds have passed, and not at all after that: bounds a property
 * without breaking it off in the middle, when what it works on would be closed below it.
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
