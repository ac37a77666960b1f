import { getFirst } from '../../pipeline/core/present.ts'
import { createRandom } from '../world/random.ts'
import { builtFolder, Child } from './support/child.ts'
import type { Question as NightQuestion, NightRun } from './support/commit-night.ts'
import { HttpBench } from './support/http-bench.ts'
import type { Times } from './support/load.ts'
import type { Question, Run } from './support/load-runner.ts'
import { readOptions } from './support/options.ts'
import { note, printResult, printTable } from './support/report.ts'
import { computeSpread, roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Measures readers while the writer works: 90 % ask by key, 9 % for a page of a list, 1 % search
 * with a typo. First nothing is written, then a night of bulk commits runs, with the snapshot after
 * it. Any answer but 200 and 404 ends the bench.
 */
const options = readOptions(1_000_000)
const args = [options.folder, String(options.size)]
const program = (name: string) => `${builtFolder}/scripts/bench/support/${name}.js`
const domains = Math.max(Math.ceil(options.size / 10), options.size - Math.ceil(options.size / 10))
const random = createRandom('mixed')

const drawLabel = () => `d${String(1 + random.below(domains)).padStart(6, '0')}`
const byKey = ['brands/resolve', 'properties/resolve', 'registry/publisher'] as const
const lists = ['brands/registry', 'properties/registry'] as const

function toQuestion(number: number): Question {
  const place = number % 100
  if (place === 0) return get(`search?q=brnad ${drawLabel()}`)
  if (place < 10) return get(`${random.pick(lists)}?limit=50&offset=${random.below(domains)}`)
  return get(`${random.pick(byKey)}?domain=${drawLabel()}.bench.example`)
}

function get(path: string): Question {
  return { method: 'GET', path: `/api/${encodeURI(path)}`, kind: getFirst(path.split('?')) }
}

/** Builds the rows of one table: the times of each kind of question, from the slowest run. */
function formatRows(runs: readonly Run[], title: string): (string | number)[][] {
  const kinds = [...new Set(runs.flatMap(run => Object.keys(run.byKind)))].sort()
  return kinds.map(kind => {
    const found = runs.flatMap(run => run.byKind[kind] ?? [])
    const worst = (of: (times: Times) => number) => roundForPrint(Math.max(...found.map(of)))
    const answers = found.reduce((sum, times) => sum + times.answers, 0)
    return [kind, title, answers, worst(x => x.p50Ms), worst(x => x.p95Ms), worst(x => x.p99Ms)]
  })
}

note(`filling an index with ${options.size} files …`)
await (await Child.start(program('commit-fill'), { args })).stop()
const writer = await Child.start<{ nextNight: number }, NightQuestion, NightRun>(
  program('commit-night'),
  { args },
)
const { nextNight } = writer.ready
note('a night, so that there is a snapshot …')
await writer.ask({ ask: 'night', night: nextNight })
await writer.ask({ ask: 'searchable' })

const { quiet, busy, nights } = await HttpBench.with(options, {}, async bench => {
  const drive = await bench.drive(Array.from({ length: 20_000 }, (_, i) => toQuestion(i)))
  await drive(options.seconds)
  const quiet: Run[] = []
  for (let n = 0; n < options.pairs; n++) quiet.push(await drive(options.seconds))
  const busy: Run[] = []
  const nights: NightRun[] = []
  while (busy.length < options.pairs) {
    note('readers while a night is committed …')
    let hasEnded = false
    const night = writer.ask({ ask: 'night', night: nextNight + 1 + nights.length })
    const ended = night.finally(() => {
      hasEnded = true
    })
    while (!hasEnded) busy.push(await drive(options.seconds))
    nights.push(await ended)
  }
  return { quiet, busy, nights }
})
await writer.stop()

const quietP99 = computeSpread(quiet.map(run => run.p99Ms))
const busyP99 = computeSpread(busy.map(run => run.p99Ms))
const ratios = computeSpread(busy.map(run => run.p99Ms / quietP99.median))
const perSecond = (runs: readonly Run[]) =>
  Math.round(computeSpread(runs.map(run => run.perSecond)).median)
printTable(
  ['readers', 'nobody writes', 'a night is committed'],
  [
    ['answers a second', perSecond(quiet), perSecond(busy)],
    [
      'p50, ms',
      roundForPrint(computeSpread(quiet.map(run => run.p50Ms)).median),
      roundForPrint(computeSpread(busy.map(run => run.p50Ms)).median),
    ],
    ['p99, ms', roundForPrint(quietP99.median), roundForPrint(busyP99.median)],
    [
      'p99 of the worst stretch, ms',
      roundForPrint(Math.max(...quiet.map(run => run.p99Ms))),
      roundForPrint(Math.max(...busy.map(run => run.p99Ms))),
    ],
    [
      'commits and snapshot, s',
      '',
      roundForPrint(computeSpread(nights.map(night => night.seconds)).median),
    ],
  ],
)
printTable(
  ['question', 'while', 'answers', 'p50, ms', 'p95, ms', 'p99, ms'],
  [...formatRows(quiet, 'quiet'), ...formatRows(busy, 'committing')],
)
console.log(`p99 while committing ÷ quiet p99: ${roundForPrint(ratios.median)} (at most 10)`)
printResult({
  bench: 'mixed',
  size: options.size,
  ratio: roundSpread(ratios),
  quiet_p99_ms: roundSpread(quietP99),
  busy_p99_ms: roundSpread(busyP99),
})
