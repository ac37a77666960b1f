import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Ledger } from '../support/checks/ledger.ts'
import { WriterProcess } from '../support/processes/script-process.ts'
import { createDataDir, openSequencer } from '../support/registry/registry.ts'

const rounds = 50
const size = 300
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const delays = fc.sample(fc.integer({ min: 0, max: 400 }), { seed, numRuns: rounds })

function startWriter(dataDir: string, round: number): WriterProcess {
  return new WriterProcess('loop', dataDir, { round, size })
}

/** Runs the writer for a moment and kills it. */
async function runAndKill(writer: WriterProcess, delayMs: number, ledger: Ledger) {
  const { handed, acknowledged } = ledger
  await writer.waitForLine('loaded')
  const left = [...handed.values()].filter(({ submission_id }) => !acknowledged.has(submission_id))
  writer.send(JSON.stringify(left))
  await writer.waitForLine('ready')
  await setTimeout(delayMs)
  await writer.kill()
  ledger.add(writer)
}

it(`no acknowledged write is lost in ${rounds} kills (KILL_SEED=${seed})`, async () => {
  const dataDir = createDataDir()
  const ledger = new Ledger()
  let next = startWriter(dataDir, 0)
  for (const [round, delayMs] of delays.entries()) {
    const writer = next
    next = startWriter(dataDir, round + 1)
    await runAndKill(writer, delayMs, ledger)
    const registry = await openSequencer({ dataDir })
    await ledger.check(registry).finally(() => registry.close())
  }
  expect(ledger.acknowledged.size).toBeGreaterThan(rounds / 2)
  expect(ledger.feed.length).toBeGreaterThan(rounds)
})
