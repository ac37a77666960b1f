import { requireValue } from '../../pipeline/core/present.ts'
import { createRandom } from '../world/random.ts'
import { computeRatios, printComparison } from './support/comparison-report.ts'
import { HttpBench } from './support/http-bench.ts'
import { readOptions } from './support/options.ts'
import { readRows } from './support/read-rows.ts'
import { computeSizes, fillReads } from './support/read-store.ts'
import { note, printResult } from './support/report.ts'
import { roundForPrint, roundSpread, type Spread } from './support/spread.ts'

/**
 * Compares reads of every kind (`support/read-rows.ts`), one kind after the other, served by one
 * API process, with a bare Fastify route that sends as many bytes under the same headers. `ratio`
 * is that of the row nearest to its bound. The index is filled by SQL and served through the
 * shipped projection and snapshot; settings are the defaults. Questions repeat, so caches answer
 * some of them; with `--questions 300000` nearly every question is new. `--only TEXT` measures the
 * rows whose names contain it.
 */
const QUESTION_COUNT = 10_000

const options = readOptions(50_000, 50_000)
const sizes = computeSizes(options.size)
note(`filling a store with ${sizes.agents} agents and ${sizes.domains} domains …`)
await fillReads(options.folder, sizes)

const ratios: { name: string; atLeast: number; ratio: Spread; cpuRatio: Spread }[] = []
const measured = await HttpBench.with(options, {}, async bench => {
  for (const { name, atLeast, questions } of readRows.filter(row =>
    row.name.includes(options.only),
  )) {
    const count = options.questions ?? Math.min(QUESTION_COUNT, 10 * sizes.agents)
    const parameters = { random: createRandom('reads', name), sizes, folder: options.folder, count }
    const comparison = await bench.compare(questions(parameters))
    const { ratio, cpuRatio } = computeRatios(comparison)
    ratios.push({ name, atLeast, ratio, cpuRatio })
    printComparison(`${name}, ${sizes.agents} agents`, comparison)
    console.log(`ours ÷ bare: ${roundForPrint(ratio.median)} (at least ${atLeast})\n`)
  }
  return { memory: bench.apiMemoryMB, readyMs: bench.readyMs }
})

const [nearest] = [...ratios].sort(
  (a, b) => a.ratio.median / a.atLeast - b.ratio.median / b.atLeast,
)
printResult({
  bench: 'reads',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(requireValue(nearest, 'row').ratio),
  by_row: Object.fromEntries(
    ratios.map(({ name, atLeast, ratio, cpuRatio }) => [
      name,
      { ...roundSpread(ratio), cpu: roundForPrint(cpuRatio.median), at_least: atLeast },
    ]),
  ),
  api_rss_anon_mb: Math.round(measured.memory),
  ready_ms: Math.round(measured.readyMs),
})
