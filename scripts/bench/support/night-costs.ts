import type { Commits } from './commit-log.ts'
import type { Part, Took } from './night-least.ts'
import { printTable } from './report.ts'
import { roundForPrint } from './spread.ts'

/** The commits of a night. */
export type Night = Took & Pick<Commits, 'count' | 'observations' | 'changed'>

/** What commits cost, and what part of it grows with what. */
export interface NightCosts {
  /** Of an observation, in µs. */
  least: Took
  quiet: Took
  /** Of a changed file, beyond what a quiet one costs, in µs. */
  changed: Took
}

/**
 * Three measures of a night's commits: the least that any must do, measured beside the quiet night;
 * what a file costs in a night in which nothing changed; and what is left of the night in which some did,
 * when each of its files is counted as a quiet one.
 */
function computeCosts(night: Night, quiet: Night, parts: Record<Part, Took>): NightCosts {
  const sum = (unit: keyof Took) => Object.values(parts).reduce((all, took) => all + took[unit], 0)
  const each = (seconds: number, count: number) => (seconds * 1e6) / count
  const both = (measure: (unit: keyof Took) => number): Took => ({
    seconds: measure('seconds'),
    cpuSeconds: measure('cpuSeconds'),
  })
  const ofQuiet = both(unit => each(quiet[unit], quiet.observations))
  return {
    least: both(unit => each(sum(unit), quiet.observations)),
    quiet: ofQuiet,
    changed: both(unit =>
      each(night[unit] - (ofQuiet[unit] * night.observations) / 1e6, night.changed),
    ),
  }
}

/** Prints them, and the parts of the least. */
export function printCosts(
  title: string,
  night: Night,
  quiet: Night,
  parts: Record<Part, Took>,
): NightCosts {
  const costs = computeCosts(night, quiet, parts)
  const { least, changed } = costs
  const row = (name: string, { seconds, cpuSeconds }: Took, count: number, unit: string) => [
    name,
    roundForPrint((seconds * count) / 1e6),
    roundForPrint((cpuSeconds * count) / 1e6),
    `${roundForPrint(seconds)} µs ${unit}`,
    `${roundForPrint(cpuSeconds)} µs CPU ${unit}`,
  ]
  const beyond = {
    seconds: costs.quiet.seconds - least.seconds,
    cpuSeconds: costs.quiet.cpuSeconds - least.cpuSeconds,
  }
  const each = ({ seconds, cpuSeconds }: Took): Took => ({
    seconds: (seconds * 1e6) / quiet.observations,
    cpuSeconds: (cpuSeconds * 1e6) / quiet.observations,
  })
  const all = night.observations
  const more = night.count - quiet.count
  const rest = `${night.changed} changed files${more === 0 ? '' : ` in ${night.count} commits, not ${quiet.count}`}`
  printTable(
    [title, 's', 'CPU s', 'each', ''],
    [
      row('the least: staged, joined, times written', least, all, 'a file'),
      ...Object.entries(parts).map(([name, took]) => row(`  ${name}`, each(took), all, 'a file')),
      row('beyond that, a file that is as it was', beyond, all, 'a file'),
      row(`beyond that, ${rest}`, changed, night.changed, 'a changed file'),
      ['together', roundForPrint(night.seconds), roundForPrint(night.cpuSeconds), '', ''],
    ],
  )
  console.log(
    `the quiet night: ${quiet.observations} files, ${quiet.changed} changed, ${quiet.count} commits, ` +
      `${roundForPrint(quiet.seconds)} s, ${roundForPrint(quiet.cpuSeconds)} CPU s`,
  )
  return costs
}
