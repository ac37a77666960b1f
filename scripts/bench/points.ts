import { createRandom } from '../world/random.ts'
import { Bounds } from './support/bounds.ts'
import { fillBrands, pickDomain, pickUnknownDomain } from './support/brand-store.ts'
import { formatVerdict, judge, printComparison, roundVerdict } from './support/comparison-report.ts'
import { HttpBench } from './support/http-bench.ts'
import type { Question } from './support/load-runner.ts'
import { readOptions, slices } from './support/options.ts'
import { note, printResult } from './support/report.ts'
import { roundSpread } from './support/spread.ts'

/**
 * Compares `GET /api/brands/resolve` with one domain per request, served by one API process, with a
 * bare Fastify route that sends as many bytes under the same headers. One domain in five is
 * unknown. The store is filled directly with the records that commits would write; settings are the
 * defaults.
 */
const options = readOptions(1_000_000, slices)
note(`filling a store with ${options.size} domains …`)
await fillBrands(options.folder, options.size)
const random = createRandom('points')
const questions = Array.from({ length: Math.max(10_000, options.size / 5) }, (_, i): Question => {
  const domain = i % 5 === 4 ? pickUnknownDomain(random) : pickDomain(random, options.size)
  return { method: 'GET', path: `/api/brands/resolve?domain=${domain}` }
})
const { comparison, memory, readyMs } = await HttpBench.with(options, {}, async bench => ({
  comparison: await bench.compare(questions),
  memory: bench.apiMemoryMB,
  readyMs: bench.readyMs,
}))

const bounds = new Bounds()
const verdict = judge(comparison)
printComparison(`one of ${options.size} domains`, comparison)
console.log(`${formatVerdict('points', verdict, 0.5, bounds)}, aim 0.75`)
console.log(
  `/readyz answered 200 after ${Math.round(readyMs)} ms (${bounds.atMost('/readyz', readyMs, 2_000, ' ms')})`,
)
printResult({
  bench: 'points',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(verdict.slices),
  cpu: roundVerdict(verdict),
  api_rss_anon_mb: Math.round(memory),
  ready_ms: Math.round(readyMs),
  missed: bounds.missed,
})
