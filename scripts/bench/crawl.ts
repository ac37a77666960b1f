import { join } from 'node:path'
import { builtFolder, Child, root } from './support/child.ts'
import type { Slice, SliceRun } from './support/crawl-slice.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import { printResult, printTable } from './support/report.ts'
import { computeMedian, computeSpread, roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Compares the CPU of a fetch in the crawler with that of undici and JSON.parse alone. One process
 * on loopback answers for all domains, over plain HTTP. Each run takes another tenth of the
 * domains, two new files per domain: fetched, parsed, hashed and packed for the sequencer.
 */
const options = readOptions(20_000, 20_000)
const perRun = Math.ceil(options.size / 10)
const server = await Child.start<{ url: string }>(
  join(builtFolder, 'scripts/bench/support/crawl-world.js'),
  {
    args: [String(options.size)],
  },
)
const { url } = server.ready
const start = (file: string, ...args: string[]) =>
  Child.start<object, Slice, SliceRun>(file, { args: [url, ...args] })
const bareFile = join(root, 'scripts/bench/bare/crawl.mjs')
const crawlers = {
  ours: await start(join(builtFolder, 'scripts/bench/support/crawl-ours.js')),
  fetch: await start(join(builtFolder, 'scripts/bench/support/crawl-ours.js'), 'fetch'),
  client: await start(bareFile, 'client'),
  agent: await start(bareFile, 'agent'),
}

const run = (name: keyof typeof crawlers) => (round: number) =>
  crawlers[name].ask({ first: 1 + (round % 10) * perRun, count: perRun })
const runners = {
  ours: run('ours'),
  fetch: run('fetch'),
  client: run('client'),
  agent: run('agent'),
}
await runInterleaved(2, runners)
const rounds = await runInterleaved(options.pairs, runners)
for (const child of Object.values(crawlers)) await child.stop()
await server.stop()
options.tidy()

const cpu = (run: SliceRun) => (run.cpuMs * 1_000) / run.fetches
const wall = (run: SliceRun) => (run.wallMs * 1_000) / run.fetches
const measureRounds = (name: keyof typeof crawlers, measure: (run: SliceRun) => number) =>
  rounds.map(round => measure(round[name]))
const bare =
  computeMedian(measureRounds('client', cpu)) < computeMedian(measureRounds('agent', cpu))
    ? 'client'
    : 'agent'
const names = {
  ours: 'ours',
  fetch: 'our fetcher and JSON.parse',
  client: 'undici, a Client a domain',
  agent: 'undici, one Agent',
}

printTable(
  ['µs a fetch (median)', 'CPU', 'wall', 'failed'],
  (['ours', 'fetch', 'client', 'agent'] as const).map(name => [
    names[name],
    Math.round(computeMedian(measureRounds(name, cpu))),
    Math.round(computeMedian(measureRounds(name, wall))),
    rounds.reduce((sum, round) => sum + round[name].failed, 0),
  ]),
)
const ratio = computeSpread(rounds.map(round => cpu(round.ours) / cpu(round[bare])))
const wallRatio = computeSpread(rounds.map(round => wall(round.ours) / wall(round[bare])))
const fetchRatio = computeSpread(rounds.map(round => cpu(round.fetch) / cpu(round[bare])))
console.log(`CPU of ours ÷ ${names[bare]}: ${roundForPrint(ratio.median)} (at most 1.5, aim 1.1)`)
printResult({
  bench: 'crawl',
  size: options.size,
  domains_a_run: perRun,
  pairs: options.pairs,
  bare,
  ratio: roundSpread(ratio),
  fetch_ratio: roundSpread(fetchRatio),
  wall_ratio: roundSpread(wallRatio),
  cpu_us: roundForPrint(computeMedian(measureRounds('ours', cpu))),
  bare_cpu_us: roundForPrint(computeMedian(measureRounds(bare, cpu))),
})
