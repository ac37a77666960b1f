/**
 * A process that writes a registry, for tests that kill it: `writer-process.ts <mode> <data dir> [json]`.
 * It prints a line before it continues, so everything that a test has read has happened.
 */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { repeatEvery } from '../../../jobs/indexer/loops.ts'
import { startReplicaPublishing } from '../../../jobs/indexer/replica-publishing-loop.ts'
import { SECOND, systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { isBucketAddress, resolvePublishFolder } from '../../../pipeline/core/publish-target.ts'
import type { Submission } from '../../../pipeline/model/submission.ts'
import { openBucket } from '../../../pipeline/replica/bucket.ts'
import { Uploader } from '../../../pipeline/replica/uploader.ts'
import { Sequencer, type SequencerOptions } from '../../../pipeline/writer/sequencer.ts'
import { buildBaseBatch, buildNextBatch } from '../fixtures/batches.ts'
import {
  buildBrandSave,
  buildKeyWrite,
  buildOrganizationWrite,
  buildProofWrite,
} from '../fixtures/submissions.ts'
import { testClock } from '../worlds/clock.ts'
import { observeVillageNight } from '../worlds/village-internet.ts'
import type { Fault } from './script-process.ts'

const [mode, dataDir, text = '{}'] = process.argv.slice(2)
const { publishTo } = JSON.parse(text) as { publishTo?: string }
const config = readConfig({ DATA_DIR: dataDir!, ...(publishTo && { PUBLISH_TO: publishTo }) })

function say(word: string, value: unknown = null): void {
  writeSync(1, `${word} ${JSON.stringify(value)}\n`)
}

function open(options: Partial<SequencerOptions> = {}): Promise<Sequencer | undefined> {
  return Sequencer.open({ config, clock: systemClock, log: silentLog, ...options })
}

/** Commits two batches and publishes each, and dies at a step of the second. */
async function runUntilFault({ step, moment }: Fault): Promise<void> {
  const clock = testClock('2026-11-20T03:00Z')
  let armed = false
  const registry = await open({
    clock,
    onStep: (reached, when) => {
      if (armed && reached === step && when === moment) process.kill(process.pid, 'SIGKILL')
    },
  })
  await registry!.commit(buildBaseBatch(clock.now()))
  await registry!.publish()
  await registry!.searchable()
  armed = true
  clock.tick({ days: 1 })
  await registry!.commit(buildNextBatch(clock.now()))
  await registry!.publish()
}

/**
 * Commits as fast as it can, until it is killed. Submissions left over from a killed process are
 * submitted first.
 */
async function commitUntilKilled({ round, size }: { round: number; size: number }): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  say('loaded')
  const left = JSON.parse((await lines.next()).value as string) as Submission[]
  const registry = await open()
  if (registry === undefined) throw new Error('another process writes')
  const bulk = () => {
    const at = { from: (registry.seq * 37) % size, count: 100, size }
    const night = Math.floor(registry.seq / 20)
    const observations = observeVillageNight(night, at, systemClock.now())
    return registry.commit({ observations, submissions: [] })
  }
  startToPublish(registry)
  await write(registry, left)
  await bulk()
  say('ready', registry.seq)
  for (let turn = 0; ; turn++) {
    const org = `${round} ${turn}`
    const domain = `told-${round}-${turn}.example`
    await write(registry, [
      buildOrganizationWrite(org),
      buildKeyWrite(org, org),
      buildProofWrite(org, domain),
    ])
    await bulk()
    const edits = ['Told', 'Told again'].map(name => buildBrandSave(org, domain, name))
    await write(registry, [buildOrganizationWrite(`${org} too`), ...edits])
    if (turn % 2 === 0) await registry.publish()
  }
}

/** Publishes for replicas beside the commits, as the indexer does, where `publishTo` says so. */
function startToPublish(registry: Sequencer): void {
  startReplicaPublishing(registry, config, systemClock, silentLog)
  if (!isBucketAddress(publishTo)) return
  const bucket = openBucket(publishTo, new AbortController().signal)
  const uploader = new Uploader(
    resolvePublishFolder(publishTo, dataDir!)!,
    registry.paths,
    bucket,
    systemClock,
  )
  repeatEvery(SECOND / 2, silentLog, () => uploader.upload())
}

async function write(registry: Sequencer, submissions: Submission[]): Promise<void> {
  if (submissions.length === 0) return
  say('handed', submissions)
  const { seq } = await registry.commit({ observations: [], submissions })
  const ids = submissions.map(({ submission_id }) => submission_id)
  say('acknowledged', { seq, ids })
}

/** Follows one order per line of stdin. */
async function followOrders(): Promise<void> {
  const registry = await open()
  say('opened', registry !== undefined)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'commit') await registry!.commit(buildBaseBatch(systemClock.now()))
    if (line === 'publish') await registry!.publish()
    say('done', line)
  }
}

const modes: Record<string, (options: never) => Promise<void>> = {
  fault: runUntilFault,
  loop: commitUntilKilled,
  obey: followOrders,
}
await modes[mode!]!(JSON.parse(text) as never)
