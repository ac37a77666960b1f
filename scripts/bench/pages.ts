import { requireValue } from '../../pipeline/core/present.ts'
import { createRandom, type Random } from '../world/random.ts'
import { Bounds } from './support/bounds.ts'
import { pickDomain, toDomain } from './support/brand-store.ts'
import { HttpBench } from './support/http-bench.ts'
import type { Question, Run } from './support/load-runner.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import {
  computeSizes,
  fillReads,
  findAgentNear,
  type Sizes,
  toAgent,
} from './support/read-store.ts'
import { note, printResult, printTable } from './support/report.ts'
import {
  computeMedian,
  computeSpread,
  roundForPrint,
  roundSpread,
  type Spread,
} from './support/spread.ts'

/**
 * Compares a page with the JSON answer of the same thing, served by the same API process: CPU time of the
 * server for each answer, page ÷ JSON. Questions repeat as often as they do in `bench:reads`; `--questions
 * 300000` makes the server build nearly every page anew. `ratio` is that of the most expensive page.
 */
const QUESTION_COUNT = 10_000
/** Page ÷ JSON at most. A verdict is a few facts; its page draws the way to them, twice. */
const RATIO_MAX = 3
const VERDICT_RATIO_MAX = 5

type Paths = readonly [page: string, json: string]

interface PageRow {
  name: string
  ratioMax?: number
  build(random: Random, sizes: Sizes): Paths
}

const rows: readonly PageRow[] = [
  {
    name: 'home',
    build: () => ['/', '/api/registry/stats'],
  },
  {
    name: 'brand',
    build(random, { domains }) {
      const domain = pickDomain(random, domains)
      return [`/brand/${domain}`, `/api/brands/resolve?domain=${domain}`]
    },
  },
  {
    name: 'publisher',
    build(random, { domains }) {
      const domain = pickDomain(random, domains)
      return [`/publisher/${domain}`, `/api/registry/publisher?domain=${domain}&limit=40`]
    },
  },
  {
    name: 'agent',
    build(random, { agents }) {
      const agent = encodeURIComponent(toAgent(random.below(agents)))
      return [`/agent/${agent}`, `/api/v1/agents/${agent}/publishers?limit=40`]
    },
  },
  {
    name: 'authorization',
    ratioMax: VERDICT_RATIO_MAX,
    build(random, sizes) {
      const number = random.below(sizes.domains)
      const agent = encodeURIComponent(findAgentNear(number, random.below(3), sizes))
      const domain = toDomain(number)
      return [
        `/authorization?agent=${agent}&publisher=${domain}`,
        `/api/registry/publisher/authorization?agent=${agent}&domain=${domain}&explain=true`,
      ]
    },
  },
  {
    name: 'search',
    build(random, { domains }) {
      const text = pickDomain(random, domains)
      return [`/search?q=${text}`, `/api/search?q=${text}`]
    },
  },
]

const options = readOptions(50_000, { usual: 5_000, connections: 10 })
const sizes = computeSizes(options.size)
note(`filling a store with ${sizes.agents} agents and ${sizes.domains} domains …`)
await fillReads(options.folder, sizes)

const bounds = new Bounds()
const ratios: Record<string, Spread> = {}
const { memory, readyMs } = await HttpBench.with(options, {}, async bench => {
  for (const { name, build, ratioMax = RATIO_MAX } of rows.filter(row =>
    row.name.includes(options.only),
  )) {
    const random = createRandom('pages', name)
    const count = options.questions ?? QUESTION_COUNT
    const paths = Array.from({ length: count }, () => build(random, sizes))
    const drive = (set: string, place: 0 | 1) =>
      bench.drive(
        paths.map((pair): Question => ({ method: 'GET', path: pair[place] })),
        set,
      )
    const [page, json] = [await drive('page', 0), await drive('json', 1)]
    await page(1)
    await json(1)
    const rounds = await runInterleaved(options.pairs, {
      page: () => page(options.seconds),
      json: () => json(options.seconds),
    })
    ratios[name] = computeSpread(rounds.map(round => round.page.cpuMicros / round.json.cpuMicros))
    printRounds(name, rounds)
    console.log(
      `page ÷ JSON: ${roundForPrint(ratios[name].median)} (${bounds.atMost(name, ratios[name].median, ratioMax)})\n`,
    )
  }
  return { memory: bench.apiMemoryMB, readyMs: bench.readyMs }
})

const [dearest] = Object.values(ratios).sort((a, b) => b.median - a.median)
printResult({
  bench: 'pages',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(requireValue(dearest, 'page')),
  by_page: Object.fromEntries(
    Object.entries(ratios).map(([name, spread]) => [name, roundSpread(spread)]),
  ),
  api_rss_anon_mb: Math.round(memory),
  ready_ms: Math.round(readyMs),
  missed: bounds.missed,
})

function printRounds(name: string, rounds: readonly Record<'page' | 'json', Run>[]): void {
  const row = (kind: 'page' | 'json') => {
    const middle = (measure: (run: Run) => number) =>
      computeMedian(rounds.map(round => measure(round[kind])))
    return [
      kind,
      Math.round(middle(run => run.perSecond)),
      Math.round(middle(run => run.bytes / run.answers)),
      roundForPrint(middle(run => run.cpuMicros / 1_000)),
      roundForPrint(middle(run => run.p95Ms)),
    ]
  }
  const head = [name, 'answers/s', 'bytes', 'CPU ms', 'p95 ms']
  printTable(head, [row('page'), row('json')])
}
