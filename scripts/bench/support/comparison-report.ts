import type { Bounds } from './bounds.ts'
import type { Comparison } from './http-bench.ts'
import type { Run } from './load-runner.ts'
import { printTable } from './report.ts'
import { computeMedian, computeSpread, roundForPrint, type Spread } from './spread.ts'

export interface Verdict {
  /** Processor time of an answer, bare ÷ ours: of the lower quartiles of all slices. */
  ratio: number
  /** The part by which the same build differs from itself in this run: smaller differences say nothing. */
  resolution: number
  /** Processor time, bare ÷ ours, slice by slice. */
  slices: Spread
  /** Answers per second, ours ÷ bare. */
  perSecond: number
  /** Processor time, the other build ÷ ours; above 1 where ours is cheaper. */
  against?: number
}

/** Compares the sides of a run by the processor time of an answer. */
export function judge({ rounds }: Comparison): Verdict {
  const getCost = (name: string, some = rounds) =>
    computeSpread(some.map(round => round[name]?.cpuMicros ?? Number.NaN)).q1
  const everyOther = [0, 1].map(rest => rounds.filter((_, i) => i % 2 === rest))
  const same = everyOther.flatMap(half => [getCost('ours', half), getCost('control', half)])
  const known = same.filter(cost => !Number.isNaN(cost))
  const rate = (name: 'ours' | 'bare') => computeMedian(rounds.map(round => round[name].perSecond))
  const against = getCost('against') / getCost('ours')
  return {
    ratio: getCost('bare') / getCost('ours'),
    resolution: Math.max(...known) / Math.min(...known) - 1,
    slices: computeSpread(rounds.map(({ ours, bare }) => bare.cpuMicros / ours.cpuMicros)),
    perSecond: rate('ours') / rate('bare'),
    ...(!Number.isNaN(against) && { against }),
  }
}

/** Formats a ratio with what is known of it: a bound nearer than the resolution is not decided, and not missed. */
export function formatVerdict(
  name: string,
  verdict: Verdict,
  atLeast: number,
  bounds: Bounds,
): string {
  const { ratio, resolution, perSecond, against } = verdict
  const isDecided = Math.abs(ratio / atLeast - 1) > resolution
  if (isDecided) bounds.atLeast(name, ratio, atLeast)
  const outcome = isDecided ? (ratio < atLeast ? 'too low' : 'met') : 'too near to tell'
  const other = against === undefined ? '' : `, other build ÷ ours: ${roundForPrint(against)}`
  return (
    `bare ÷ ours, processor time: ${roundForPrint(ratio)} ± ${Math.ceil(100 * resolution)} % ` +
    `(at least ${atLeast}: ${outcome}); answers a second: ${roundForPrint(perSecond)}${other}`
  )
}

/** Rounds a verdict for the line that programs read. */
export function roundVerdict({ slices, ...numbers }: Verdict) {
  const rounded = Object.entries(numbers).map(([name, value]) => [name, roundForPrint(value)])
  return Object.fromEntries(rounded) as Record<keyof typeof numbers, number>
}

export function printComparison(title: string, { rounds }: Comparison): void {
  const row = (name: string) => {
    const runs = rounds.flatMap(round => round[name] ?? [])
    const middle = (measure: (run: Run) => number) => computeMedian(runs.map(measure))
    return [
      name,
      roundForPrint(computeSpread(runs.map(run => run.cpuMicros)).q1),
      roundForPrint(computeSpread(runs.map(run => run.helperMicros)).q1),
      Math.round(middle(run => run.perSecond)),
      Math.round(middle(run => run.bytes / run.answers)),
      `${Math.round(100 * middle(run => run.notFound / run.answers))} %`,
      roundForPrint(middle(run => run.p50Ms)),
      roundForPrint(middle(run => run.p99Ms)),
      `${Math.round(100 * middle(run => run.clientBusy))} %`,
    ]
  }
  const head = ['CPU µs', 'of helpers', 'answers/s', 'bytes', '404', 'p50 ms', 'p99 ms', 'client']
  printTable([title, ...head], Object.keys(rounds[0] ?? {}).map(row))
}
