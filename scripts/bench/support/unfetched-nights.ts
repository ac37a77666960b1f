import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { getAt, getFirst, getLast } from '../../../pipeline/core/present.ts'
import { builtFolder, Child } from './child.ts'
import type { Options } from './options.ts'
import { note, printResult, printTable } from './report.ts'
import { computeSpread, roundForPrint, roundSpread } from './spread.ts'
import type { UnfetchedAnswer, UnfetchedQuestion } from './unfetched-night.ts'
import { watchMemory } from './usage.ts'

/** Domains of the smaller registries, as shares of the largest one. */
const SHARES = [0.01, 0.1, 1]

interface Run {
  domains: number
  first: UnfetchedAnswer
  quiet: UnfetchedAnswer
  publishing: UnfetchedAnswer
  peakMB: number
}

/**
 * Runs a first and a quiet night over the web of `whole-nights.ts` without fetching anything: each file that is
 * due gets the observation that a crawl would bring, and is committed in full batches. Shows what limits one
 * registry as it grows, with three sizes, and the exponents by which the costs of a quiet night grow from the
 * smallest to the largest: 1 is as fast as the domains.
 */
export async function runUnfetchedNights(options: Options): Promise<void> {
  const runs: Run[] = []
  for (const share of SHARES) {
    const domains = Math.max(1, Math.round(options.size * share))
    note(`${domains} domains …`)
    runs.push(await runNights(join(options.folder, String(domains)), domains))
  }
  options.tidy()
  const rows: [string, (run: Run) => number][] = [
    ['first night, s', ({ first }) => first.seconds],
    ['quiet night, s', ({ quiet }) => quiet.seconds],
    ['  CPU, s', ({ quiet }) => quiet.cpuSeconds],
    ['  files', ({ quiet }) => quiet.files],
    ['  CPU µs a file', ({ quiet }) => (quiet.cpuSeconds * 1e6) / quiet.files],
    ['  finding what is due, s', ({ quiet }) => quiet.dueSeconds],
    ['  longest commit, ms', ({ quiet }) => quiet.longestCommitMs],
    ['snapshot and search, s', ({ publishing }) => publishing.seconds],
    ['own memory at most, MB', ({ peakMB }) => peakMB],
    ...(['record', 'serving', 'snapshot'] as const).map(
      store =>
        [`${store}, MB`, ({ publishing }: Run) => (publishing.stores[store] ?? 0) / 1e6] as [
          string,
          (run: Run) => number,
        ],
    ),
  ]
  const [small, large] = [getFirst(runs), getLast(runs)]
  const growth = Math.log(large.domains / small.domains)
  const exponents = rows.map(([, measure]) =>
    roundForPrint(Math.log(measure(large) / Math.max(1e-9, measure(small))) / growth),
  )
  printTable(
    ['domains', ...runs.map(({ domains }) => String(domains)), 'exponent'],
    rows.map(([name, measure], at) => [
      name,
      ...runs.map(run => roundForPrint(measure(run))),
      getAt(exponents, at),
    ]),
  )
  const perFile = ({ quiet }: Run) => quiet.cpuSeconds / quiet.files
  const ratio = roundSpread(computeSpread([perFile(large) / perFile(small)]))
  printResult({ bench: 'night', size: options.size, fetched: false, ratio, runs, exponents })
}

async function runNights(folder: string, domains: number): Promise<Run> {
  const program = join(builtFolder, 'scripts/bench/support/unfetched-night.js')
  const child = await Child.start<object, UnfetchedQuestion, UnfetchedAnswer>(program, {
    args: [folder, String(domains)],
  })
  const memory = watchMemory(child.pid, 100)
  note('  first night …')
  const first = await child.ask({ night: 1 })
  note('  quiet night …')
  const quiet = await child.ask({ night: 2 })
  note('  snapshot and search …')
  const publishing = await child.ask('publish')
  memory.stop()
  await child.stop()
  rmSync(folder, { recursive: true, force: true })
  return { domains, first, quiet, publishing, peakMB: memory.peakMB() }
}
