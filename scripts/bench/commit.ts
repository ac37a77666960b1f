import { join } from 'node:path'
import { getFirst, getLast } from '../../pipeline/core/present.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { builtFolder, Child } from './support/child.ts'
import type { NightRun, Question } from './support/commit-night.ts'
import { CHANGING } from './support/night.ts'
import { type Night, printCosts } from './support/night-costs.ts'
import { measureLeast } from './support/night-least.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import { note, printResult, printTable } from './support/report.ts'
import { computeMedian, computeSpread, roundForPrint, roundSpread } from './support/spread.ts'
import { watchMemory } from './support/usage.ts'

/**
 * Measures a night over an index that already holds every file: each file is observed again, one in a hundred
 * has changed, nine in ten are brand.json. The time runs from the first commit to the checkpoint after the
 * last one. Three things are measured for comparison: the one join that finds what changed, a night in
 * which nothing changed, and the minimum that these commits could cost. Beyond that minimum the cost of a
 * night grows with the number of changes. Ten writes a second are submitted meanwhile. Settings are the
 * defaults except FRONTIER_MAX, which keeps mentioned domains out.
 */
const options = readOptions(1_000_000)
const program = (name: string) => join(builtFolder, `scripts/bench/support/${name}.js`)
const args = [options.folder, String(options.size)]
note(`filling an index with ${options.size} files …`)
await (await Child.start(program('commit-fill'), { args })).stop()

type Run = NightRun & { peakMB: number }
const sequencer = await Child.start<
  { nextNight: number },
  Question,
  NightRun | { seconds: number }
>(program('commit-night'), { args })
let { nextNight } = sequencer.ready
async function runNight(isQuiet: boolean): Promise<Run> {
  const memory = watchMemory(sequencer.pid)
  const run = (await sequencer.ask({ ask: 'night', night: nextNight++, isQuiet })) as NightRun
  memory.stop()
  return { ...run, peakMB: memory.peakMB() }
}
const rounds = await runInterleaved(options.pairs, {
  night: () => runNight(false),
  quiet: () => runNight(true),
  join: () => sequencer.ask({ ask: 'anti-join' }) as Promise<Run>,
})
await sequencer.stop()
const parts = measureLeast(resolvePaths(options.folder).record, getLast(rounds).quiet.commits.count)
options.tidy()

const nights = rounds.map(({ night }) => night)
const middle = (measure: (night: Run) => number) => computeMedian(nights.map(measure))
const worst = (measure: (night: Run) => number) => Math.max(...nights.map(measure))
const seconds = middle(night => night.seconds)
const quietSeconds = computeMedian(rounds.map(({ quiet }) => quiet.seconds))
const changed = options.size / CHANGING
const joinSeconds = computeMedian(rounds.map(({ join }) => join.seconds))
const steps = Object.fromEntries(
  Object.keys(getFirst(nights).steps).map(step => [
    step,
    roundForPrint(middle(night => night.steps[step] ?? 0)),
  ]),
)

printTable(
  [`a night of ${options.size} files`, 'median'],
  [
    ...Object.entries(steps).map(([step, s]) => [`  ${step}`, `${s} s`]),
    ['together', `${roundForPrint(seconds)} s`],
    ['a night in which nothing changed', `${roundForPrint(quietSeconds)} s`],
    ['the join alone', `${roundForPrint(joinSeconds)} s`],
    ['written', `${Math.round(middle(night => night.writtenMB))} MB`],
    ['events', middle(night => night.events)],
    ['writes meanwhile', middle(night => night.writes)],
    ['longest wait of a write (worst night)', `${Math.round(worst(run => run.longestWaitMs))} ms`],
    ['own memory at most', `${Math.round(worst(night => night.peakMB))} MB`],
  ],
)
const summarizeCommits = (runs: readonly Run[], changes: number): Night => ({
  count: getFirst(runs).commits.count,
  observations: options.size,
  changed: changes,
  seconds: computeMedian(runs.map(({ commits }) => commits.seconds)),
  cpuSeconds: computeMedian(runs.map(({ commits }) => commits.cpuSeconds)),
})
const quietRuns = rounds.map(({ quiet }) => quiet)
const [night, quiet] = [summarizeCommits(nights, changed), summarizeCommits(quietRuns, 0)]
const costs = printCosts('commits of such a night', night, quiet, parts)
printResult({
  bench: 'commit',
  size: options.size,
  pairs: options.pairs,
  ratio: roundSpread(computeSpread(rounds.map(({ night, join }) => night.seconds / join.seconds))),
  seconds: roundSpread(computeSpread(nights.map(night => night.seconds))),
  join_seconds: roundForPrint(joinSeconds),
  quiet_seconds: roundForPrint(quietSeconds),
  least_cpu_us_a_file: roundForPrint(costs.least.cpuSeconds),
  quiet_cpu_us_a_file: roundForPrint(costs.quiet.cpuSeconds),
  cpu_us_a_changed_file: roundForPrint(costs.changed.cpuSeconds),
  us_a_changed_file: roundForPrint(costs.changed.seconds),
  steps,
  written_mb: Math.round(middle(night => night.writtenMB)),
  longest_wait_ms: Math.round(worst(night => night.longestWaitMs)),
  peak_rss_anon_mb: Math.round(worst(night => night.peakMB)),
})
