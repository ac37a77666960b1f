import { join } from 'node:path'
import { built, Child } from './support/child.ts'
import type { NightRun, Question } from './support/commit-night.ts'
import { CHANGING } from './support/night.ts'
import { readOptions } from './support/options.ts'
import { interleave } from './support/pairs.ts'
import { note, printResult, printTable } from './support/report.ts'
import { medianOf, rounded, roundedSpread, spreadOf } from './support/spread.ts'
import { watchMemory } from './support/usage.ts'

/**
 * A night over an index that holds all its files: every one is seen again, one in a hundred has
 * changed, nine in ten are brand.json. Measured from the first commit to the checkpoint after the
 * last, beside the one hash join that finds what changed, and beside a quiet night in which nothing
 * has: what a night costs beyond that grows with what changed. Writes ask for their turn ten times a
 * second. The settings are the defaults but for FRONTIER_MAX, which keeps mentions out.
 */
const options = readOptions(1_000_000)
const program = (name: string) => join(built, `scripts/bench/support/${name}.js`)
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
const rounds = await interleave(options.pairs, {
  night: () => runNight(false),
  quiet: () => runNight(true),
  join: () => sequencer.ask({ ask: 'anti-join' }) as Promise<Run>,
})
await sequencer.stop()
options.tidy()

const nights = rounds.map(({ night }) => night)
const middle = (measure: (night: Run) => number) => medianOf(nights.map(measure))
const worst = (measure: (night: Run) => number) => Math.max(...nights.map(measure))
const seconds = middle(night => night.seconds)
const quietSeconds = medianOf(rounds.map(({ quiet }) => quiet.seconds))
const changed = options.size / CHANGING
const msEach = (1_000 * (seconds - quietSeconds)) / changed
const joinSeconds = medianOf(rounds.map(({ join }) => join.seconds))
const steps = Object.fromEntries(
  Object.keys(nights[0]!.steps).map(step => [
    step,
    rounded(middle(night => night.steps[step] ?? 0)),
  ]),
)

printTable(
  [`a night of ${options.size} files`, 'median'],
  [
    ...Object.entries(steps).map(([step, s]) => [`  ${step}`, `${s} s`]),
    ['together', `${rounded(seconds)} s`],
    ['a night in which nothing changed', `${rounded(quietSeconds)} s`],
    ['  of that, a file', `${rounded((quietSeconds * 1e6) / options.size)} µs`],
    [`beyond that, each of ${changed} changed files`, `${rounded(msEach)} ms`],
    ['the hash join alone', `${rounded(joinSeconds)} s`],
    ['written', `${Math.round(middle(night => night.writtenMB))} MB`],
    ['events', middle(night => night.events)],
    ['writes meanwhile', middle(night => night.writes)],
    ['longest wait of a write (worst night)', `${Math.round(worst(one => one.longestWaitMs))} ms`],
    ['own memory at most', `${Math.round(worst(night => night.peakMB))} MB`],
  ],
)
printResult({
  bench: 'commit',
  size: options.size,
  pairs: options.pairs,
  ratio: roundedSpread(spreadOf(rounds.map(({ night, join }) => night.seconds / join.seconds))),
  seconds: roundedSpread(spreadOf(nights.map(night => night.seconds))),
  join_seconds: rounded(joinSeconds),
  quiet_seconds: rounded(quietSeconds),
  ms_a_changed_file: rounded(msEach),
  steps,
  written_mb: Math.round(middle(night => night.writtenMB)),
  longest_wait_ms: Math.round(worst(night => night.longestWaitMs)),
  peak_rss_anon_mb: Math.round(worst(night => night.peakMB)),
})
