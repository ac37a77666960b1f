import { setImmediate, setTimeout } from 'node:timers/promises'

/** Turns of the event loop after the timer, more than an answer that has already arrived needs. */
const TURNS = 200

/**
 * Runs work and throws if it ends after a timer of `ms` that starts with it. A pause of the whole
 * process delays both alike.
 */
export async function runWithin<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const isOver = new AbortController()
  const late = setTimeout(ms, undefined, isOver).then(async () => {
    for (let turn = 0; turn < TURNS; turn++) await setImmediate()
    throw new Error(`it took longer than ${ms} ms`)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    isOver.abort()
    late.catch(() => undefined)
  }
}

/** Measures the CPU time of the work, in ms. Other processes of the machine do not count. */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
