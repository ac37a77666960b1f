import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ledger } from '../support/checks/ledger.ts'
import { Disk, findDiskProblem } from '../support/processes/disk.ts'
import { WriterProcess } from '../support/processes/script-process.ts'
import { cleanUp, openSequencer } from '../support/registry/registry.ts'

const CUTS = 12
const SIZE = 300
/** Time in which a stopped writer's last lines arrive. */
const LINES_MS = 50
const seed = Number(process.env.CUT_SEED ?? Date.now() % 1_000_000)
const delays = fc.sample(fc.integer({ min: 0, max: 1_000 }), { seed, numRuns: CUTS })
const problem = findDiskProblem()

describe.skipIf(problem !== undefined)(`a power cut (${problem ?? `CUT_SEED=${seed}`})`, () => {
  test('loses no acknowledged write', async () => {
    const disk = Disk.create()
    cleanUp(() => disk.close())
    const writer = new WriterProcess('loop', disk.path, { round: 0, size: SIZE })
    await writer.waitForLine('loaded')
    writer.send('[]')
    await writer.waitForLine('ready')
    const ledger = new Ledger()
    for (const delayMs of delays) {
      await setTimeout(delayMs)
      const left = await cutPower(writer, disk, ledger)
      try {
        const registry = await openSequencer({ dataDir: left.path })
        await ledger.check(registry).finally(() => registry.close())
      } finally {
        left.close()
      }
    }
    expect(ledger.acknowledged.size).toBeGreaterThan(CUTS)
    await writer.kill()
  })
})

/** Returns the disk that a power cut would leave, with what was acknowledged before in the ledger. */
async function cutPower(writer: WriterProcess, disk: Disk, ledger: Ledger): Promise<Disk> {
  writer.signal('SIGSTOP')
  await setTimeout(LINES_MS)
  ledger.add(writer)
  try {
    return disk.cutPower()
  } finally {
    writer.signal('SIGCONT')
  }
}
