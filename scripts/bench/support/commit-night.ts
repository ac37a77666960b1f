import { DAY } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { serveParent } from './child.ts'
import { filledAt } from './commit-fill.ts'
import { buildFiles, buildObservations } from './night.ts'
import type { Cost } from './night-least.ts'
import { StepTimes } from './step-times.ts'
import { readWrittenMB } from './usage.ts'
import { Writes } from './writes.ts'

export interface NightRun {
  /** Time of the commits and of the snapshot after them, without building the observations. */
  seconds: number
  /** The commits alone. */
  commits: Cost & { count: number }
  steps: Record<string, number>
  writtenMB: number
  longestWaitMs: number
  writes: number
  events: number
}

export type Question =
  | { ask: 'night'; night: number; isQuiet?: boolean }
  | { ask: 'anti-join' }
  | { ask: 'searchable' }

/**
 * Runs the shipped sequencer over a filled index: a night in full batches, with writes beside it.
 */
const [, , folder = '', sources] = process.argv
const files = buildFiles(Number(sources))
let night = 1
/** The last night in which files changed. */
let changedNight = 1
let nightBegan = performance.now()
const clock = { now: () => filledAt + night * DAY + Math.round(performance.now() - nightBegan) }
const steps = new StepTimes()
const config = readConfig({ DATA_DIR: folder, FRONTIER_MAX: String(files.world.domains.length) })
const opened = await Sequencer.open({
  config,
  clock,
  log: silentLog,
  onStep: (step, moment) => steps.note(step, moment),
})
if (!opened) throw new Error(`another process is writing to ${folder}`)
const sequencer = opened
const last = await sequencer.index.oneOrThrow<{ ms: number }>(
  'select max(attempted_at) as ms from crawl_state',
)
// A folder that was used before continues with the night after its last one.
const nextNight = Math.max(2, 1 + Math.floor((last.ms - filledAt) / DAY))
serveParent<Question, NightRun | { seconds: number }>({ nextNight }, question => {
  if (question.ask === 'night') return runNight(question)
  return question.ask === 'anti-join' ? runAntiJoin() : waitUntilSearchable()
})

async function runNight(asked: { night: number; isQuiet?: boolean }): Promise<NightRun> {
  night = asked.night
  if (!asked.isQuiet) changedNight = night
  nightBegan = performance.now()
  global.gc?.()
  steps.clear()
  const written = readWrittenMB('self')
  const writes = new Writes(sequencer)
  const commits = { count: 0, seconds: 0, cpuSeconds: 0 }
  let events = 0
  const plan = { night: changedNight, observedAt: clock.now(), isAgain: asked.isQuiet === true }
  for (let at = 0; at < files.all; at += limits.bulkCommitObservations) {
    const end = Math.min(files.all, at + limits.bulkCommitObservations)
    const observations = buildObservations(files, plan, at, end)
    const took = await measureWork(async () => {
      events += (await sequencer.commit({ observations, submissions: [] })).events
    })
    commits.count++
    commits.seconds += took.seconds
    commits.cpuSeconds += took.cpuSeconds
  }
  const seconds = commits.seconds + (await measureWork(() => sequencer.publish())).seconds
  const longestWaitMs = await writes.end()
  return {
    seconds,
    commits,
    steps: steps.seconds(seconds),
    writtenMB: readWrittenMB('self') - written,
    longestWaitMs,
    writes: writes.count,
    events,
  }
}

async function measureWork(work: () => Promise<unknown>): Promise<Cost> {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  steps.isOn = true
  await work()
  steps.isOn = false
  const { user, system } = process.cpuUsage(usedBefore)
  return { seconds: (performance.now() - started) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

/**
 * Waits for the search file of the last snapshot, which is built beside the commits; only the bench
 * waits for it.
 */
async function waitUntilSearchable(): Promise<{ seconds: number }> {
  const started = performance.now()
  await sequencer.searchable()
  return { seconds: (performance.now() - started) / 1_000 }
}

/** Runs the least a night needs: one join over the same rows finds what differs. */
async function runAntiJoin(): Promise<{ seconds: number }> {
  return sequencer.quietly(async () => {
    await sequencer.index.stageQuery(
      'seen',
      'kind text, location text, hash text',
      `select kind, location, if(crc32(location) % 100 = 0, 'changed', hash) from crawl_state`,
    )
    const started = performance.now()
    await sequencer.index.one(
      `select count(*) from seen n join crawl_state s on s.location = n.location and s.kind = n.kind
       where s.hash is distinct from n.hash`,
    )
    const seconds = (performance.now() - started) / 1_000
    return { seconds }
  })
}
