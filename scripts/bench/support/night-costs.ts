import type { Commits } from './commit-log.ts'
import type { Cost, Part } from './night-least.ts'
import { printTable } from './report.ts'
import { roundForPrint } from './spread.ts'

/** Totals of a night's commits. */
export type Night = Cost & Pick<Commits, 'count' | 'observations' | 'changed'>

/** Costs of a night's commits, split by what they grow with, in µs. */
export interface NightCosts {
  /** The least an observation can cost. */
  least: Cost
  quiet: Cost
  /** Cost of a changed file beyond a quiet one. */
  changed: Cost
}

/**
 * Splits the cost of a night's commits in three: the least that any commit must do, measured beside
 * the quiet night; what an unchanged file costs, from the night in which nothing changed; and what
 * a changed file costs beyond that.
 */
function computeCosts(night: Night, quiet: Night, parts: Record<Part, Cost>): NightCosts {
  const sum = (unit: keyof Cost) => Object.values(parts).reduce((all, took) => all + took[unit], 0)
  const toMicrosecondsPer = (seconds: number, count: number) => (seconds * 1e6) / count
  const both = (measure: (unit: keyof Cost) => number): Cost => ({
    seconds: measure('seconds'),
    cpuSeconds: measure('cpuSeconds'),
  })
  const ofQuiet = both(unit => toMicrosecondsPer(quiet[unit], quiet.observations))
  return {
    least: both(unit => toMicrosecondsPer(sum(unit), quiet.observations)),
    quiet: ofQuiet,
    changed: both(unit =>
      toMicrosecondsPer(night[unit] - (ofQuiet[unit] * night.observations) / 1e6, night.changed),
    ),
  }
}

/** Prints the costs, and the parts of the least. */
export function printCosts(
  title: string,
  night: Night,
  quiet: Night,
  parts: Record<Part, Cost>,
): NightCosts {
  const costs = computeCosts(night, quiet, parts)
  const { least, changed } = costs
  const row = (name: string, { seconds, cpuSeconds }: Cost, count: number, unit: string) => [
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
  const toCostPerFile = ({ seconds, cpuSeconds }: Cost): Cost => ({
    seconds: (seconds * 1e6) / quiet.observations,
    cpuSeconds: (cpuSeconds * 1e6) / quiet.observations,
  })
  const all = night.observations
  const more = night.count - quiet.count
  const rest = `${night.changed} changed files${more === 0 ? '' : ` in ${night.count} commits, not ${quiet.count}`}`
  printTable(
    [title, 's', 'CPU s', 'each', ''],
    [
      row('the least: joined, times written, committed', least, all, 'a file'),
      ...Object.entries(parts).map(([name, took]) =>
        row(`  ${name}`, toCostPerFile(took), all, 'a file'),
      ),
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
