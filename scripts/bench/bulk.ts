import { createRandom } from '../world/random.ts'
import { fillBrands, pickDomain, pickUnknownDomain } from './support/brand-store.ts'
import { computeRatios, printComparison } from './support/comparison-report.ts'
import { HttpBench } from './support/http-bench.ts'
import type { Question } from './support/load-runner.ts'
import { readOptions } from './support/options.ts'
import { note, printResult } from './support/report.ts'
import { roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Compares `POST /api/brands/resolve/bulk` with a hundred domains per request, served by one API
 * process, with a bare Fastify route that parses the same body and sends as many bytes. One domain
 * in five is unknown. The store is filled directly. The only setting that differs from its default
 * is the limit on bulk requests, which is still counted in Redis.
 */
const options = readOptions(1_000_000)
note(`filling a store with ${options.size} domains …`)
await fillBrands(options.folder, options.size)
const random = createRandom('bulk')
const questions = Array.from({ length: options.size < 10_000 ? 200 : 2_000 }, (): Question => {
  const domains = Array.from({ length: 100 }, (_, i) =>
    i % 5 === 4 ? pickUnknownDomain(random) : pickDomain(random, options.size),
  )
  return {
    method: 'POST',
    path: '/api/brands/resolve/bulk',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domains }),
  }
})
const { comparison, memory } = await HttpBench.with(
  options,
  { bulkResolvePerMinute: 1e9 },
  async bench => ({
    comparison: await bench.compare(questions),
    memory: bench.apiMemoryMB,
  }),
)

const { ratio, cpuRatio } = computeRatios(comparison)
printComparison(`100 of ${options.size} domains`, comparison)
console.log(`ours ÷ bare: ${roundForPrint(ratio.median)} (at least 0.08, aim 0.25)`)
printResult({
  bench: 'bulk',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(ratio),
  cpu_ratio: roundSpread(cpuRatio),
  api_rss_anon_mb: Math.round(memory),
})
