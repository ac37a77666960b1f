import type { Comparison } from './http-bench.ts'
import type { Run } from './load-runner.ts'
import { printTable } from './report.ts'
import { computeMedian, computeSpread, roundForPrint, type Spread } from './spread.ts'

export interface ComparisonRatios {
  /** Answers per second, ours ÷ bare. */
  ratio: Spread
  /**
   * Answers per second of server CPU; equal to `ratio` where both servers are busy all the time.
   */
  cpuRatio: Spread
  /** 95th percentile of the answer times, ours ÷ bare. */
  p95Ratio: Spread
}

export function computeRatios({ rounds }: Comparison): ComparisonRatios {
  return {
    ratio: computeSpread(rounds.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
    cpuRatio: computeSpread(rounds.map(({ ours, bare }) => ours.perCpuSecond / bare.perCpuSecond)),
    p95Ratio: computeSpread(rounds.map(({ ours, bare }) => ours.p95Ms / bare.p95Ms)),
  }
}

export function printComparison(title: string, comparison: Comparison): void {
  const row = (name: 'ours' | 'bare') => {
    const middle = (measure: (run: Run) => number) =>
      computeMedian(comparison.rounds.map(r => measure(r[name])))
    return [
      name,
      Math.round(middle(run => run.perSecond)),
      Math.round(middle(run => run.bytes / run.answers)),
      `${Math.round(100 * middle(run => run.notFound / run.answers))} %`,
      roundForPrint(middle(run => run.p50Ms)),
      roundForPrint(middle(run => run.p95Ms)),
      roundForPrint(middle(run => run.p99Ms)),
      `${Math.round(100 * middle(run => run.serverBusy))} %`,
      `${Math.round(100 * middle(run => run.clientBusy))} %`,
    ]
  }
  printTable(
    [
      title,
      'answers/s',
      'bytes',
      '404',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'server busy',
      'client busy',
    ],
    [row('ours'), row('bare')],
  )
}
