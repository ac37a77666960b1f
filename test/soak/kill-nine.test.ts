import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verify } from '../../pipeline/maintenance/verify-stores.ts'
import type { Submission } from '../../pipeline/model/submission.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../support/checks/feed.ts'
import { WriterProcess } from '../support/processes/script-process.ts'
import { createDataDir, openSequencer } from '../support/registry/registry.ts'

const rounds = 50
const size = 300
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
const delays = fc.sample(fc.integer({ min: 0, max: 400 }), { seed, numRuns: rounds })

/** Submissions that the writers of all rounds so far were handed, and those they acknowledged. */
interface Ledger {
  handed: Map<string, Submission>
  acknowledged: Map<string, number>
  feed: string[]
}

function startWriter(dataDir: string, round: number): WriterProcess {
  return new WriterProcess('loop', dataDir, { round, size })
}

/** Runs the writer for a moment and kills it. */
async function runAndKill(
  writer: WriterProcess,
  delayMs: number,
  { handed, acknowledged }: Ledger,
) {
  await writer.waitForLine('loaded')
  const left = [...handed.values()].filter(({ submission_id }) => !acknowledged.has(submission_id))
  writer.send(JSON.stringify(left))
  await writer.waitForLine('ready')
  await setTimeout(delayMs)
  await writer.kill()
  for (const submissions of writer.listValues<Submission[]>('handed')) {
    for (const submission of submissions) handed.set(submission.submission_id, submission)
  }
  for (const { seq, ids } of writer.listValues<{ seq: number; ids: string[] }>('acknowledged')) {
    for (const id of ids) acknowledged.set(id, seq)
  }
}

async function check(registry: Sequencer, ledger: Ledger): Promise<void> {
  expect(await verify(registry)).toEqual([])
  const done = await registry.index.all<{ id: string; seq: number }>(
    'select submission_id as id, seq from submissions order by seq',
  )
  const commits = new Map(done.map(({ id, seq }) => [id, seq]))
  expect(commits.size, 'submissions carried out once').toBe(done.length)
  const lost = [...ledger.acknowledged].filter(([id, seq]) => (commits.get(id) ?? seq + 1) > seq)
  expect(lost, 'acknowledged submissions').toEqual([])
  const { index, files, serving } = await readFeeds(registry)
  expect(files, 'event files').toEqual(index)
  expect(serving, 'serving store').toEqual(index)
  expect(index, 'the order of the feed').toEqual([...new Set(index)].sort())
  expect(index.slice(0, ledger.feed.length), 'the feed so far').toEqual(ledger.feed)
  ledger.feed = index
}

it(`no acknowledged write is lost in ${rounds} kills (KILL_SEED=${seed})`, async () => {
  const dataDir = createDataDir()
  const ledger: Ledger = { handed: new Map(), acknowledged: new Map(), feed: [] }
  let next = startWriter(dataDir, 0)
  for (const [round, delayMs] of delays.entries()) {
    const writer = next
    next = startWriter(dataDir, round + 1)
    await runAndKill(writer, delayMs, ledger)
    const registry = await openSequencer({ dataDir })
    await check(registry, ledger).finally(() => registry.close())
  }
  expect(ledger.acknowledged.size).toBeGreaterThan(rounds / 2)
  expect(ledger.feed.length).toBeGreaterThan(rounds)
})
