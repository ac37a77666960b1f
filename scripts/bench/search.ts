import { getFirst } from '../../pipeline/core/present.ts'
import { createRandom } from '../world/random.ts'
import { fillBrands, pickDomain } from './support/brand-store.ts'
import {
  type ComparisonRatios,
  computeRatios,
  printComparison,
} from './support/comparison-report.ts'
import { HttpBench } from './support/http-bench.ts'
import type { Question } from './support/load-runner.ts'
import { readOptions } from './support/options.ts'
import { note, printResult } from './support/report.ts'
import { buildName, fillNames, questionTexts } from './support/search-store.ts'
import { roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Compares `GET /api/search` over 10 connections with a bare Fastify route that sends as many
 * bytes: whole names and domains, prefixes, substrings, and names with one typo; then measures
 * point reads beside it. `ratio` is the 95th percentile of the answer times, ours to bare, of the
 * slowest kind without typos. The snapshot is filled directly and its search file built by the
 * indexer's own code; settings are the defaults. No answer is cached, so `--questions` only changes
 * how much the CPU caches hold.
 */
const QUESTION_COUNT = 10_000

const options = readOptions(1_000_000, 100_000, 10)
note(`filling a store with ${options.size} names …`)
await fillBrands(options.folder, options.size)
const file = await fillNames(options.folder, options.size)

const random = createRandom('search')
const points = Array.from({ length: 10_000 }, (): Question => {
  return { method: 'GET', path: `/api/brands/resolve?domain=${pickDomain(random, options.size)}` }
})
const ratioBounds = { exact: 8, prefix: 8, substring: 8, typo: 50 }
type Kind = keyof typeof ratioBounds
const kinds = Object.keys(questionTexts) as Kind[]

const ratios = {} as Record<Kind, ComparisonRatios>
const pointP99Ms = {} as Record<Kind, number>
const { memory, readyMs } = await HttpBench.with(options, {}, async bench => {
  for (const kind of kinds) {
    const questions = buildQuestions(kind)
    const comparison = await bench.compare(questions)
    ratios[kind] = computeRatios(comparison)
    printComparison(`${kind}, ${options.size} names`, comparison)
    console.log(
      `p95, ours ÷ bare: ${roundForPrint(ratios[kind].p95Ratio.median)} (at most ${ratioBounds[kind]})`,
    )
    pointP99Ms[kind] = (await bench.measureBeside(questions, points)).p99Ms
    console.log(
      `p99 of point reads beside it: ${roundForPrint(pointP99Ms[kind])} ms (at most 50)\n`,
    )
  }
  return { memory: bench.apiMemoryMB, readyMs: bench.readyMs }
})

const literal = kinds.filter(kind => kind !== 'typo').map(kind => ratios[kind].p95Ratio)
const slowest = getFirst(literal.sort((a, b) => b.median - a.median))
console.log(`own memory of the API: ${Math.round(memory)} MB (at most 400)`)
console.log(`/readyz answered 200 after ${Math.round(readyMs)} ms (at most 2000)`)
console.log(
  `the search file: ${roundForPrint(file.MB)} MB, made in ${roundForPrint(file.seconds)} s`,
)
printResult({
  bench: 'search',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(slowest),
  by_kind: Object.fromEntries(kinds.map(kind => [kind, roundSpread(ratios[kind].p95Ratio)])),
  point_p99_ms: Object.fromEntries(kinds.map(kind => [kind, roundForPrint(pointP99Ms[kind])])),
  api_rss_anon_mb: Math.round(memory),
  ready_ms: Math.round(readyMs),
  file_mb: roundForPrint(file.MB),
  file_seconds: roundForPrint(file.seconds),
})

function buildQuestions(kind: Kind): Question[] {
  return Array.from({ length: options.questions ?? QUESTION_COUNT }, () => {
    const { name, domain } = buildName(random.below(options.size))
    const text = questionTexts[kind](random, random.chance(0.5) ? name : domain)
    return { method: 'GET', path: `/api/search?q=${encodeURIComponent(text)}` }
  })
}
