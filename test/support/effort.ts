import { setImmediate, setTimeout } from 'node:timers/promises'

/** More turns of the event loop than an answer that is already there needs to be heard of. */
const TURNS = 200

/**
 * What the work comes to; throws where it ends after a timer of so many ms that was set when it began.
 * Moments in which the whole process stood still count for both.
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

/** How long processors were busy with the work, in ms: what else a machine has to do does not count. */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
