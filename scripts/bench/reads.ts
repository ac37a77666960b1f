import { requireValue } from '../../pipeline/core/present.ts'
import { createRandom } from '../world/random.ts'
import { Bounds } from './support/bounds.ts'
import {
  formatVerdict,
  judge,
  printComparison,
  roundVerdict,
  type Verdict,
} from './support/comparison-report.ts'
import { HttpBench } from './support/http-bench.ts'
import { readOptions, slices } from './support/options.ts'
import { readRows } from './support/read-rows.ts'
import { computeSizes, fillReads } from './support/read-store.ts'
import { note, printResult } from './support/report.ts'
import { roundSpread } from './support/spread.ts'

/**
 * Compares reads of every kind (`support/read-rows.ts`), one kind after the other, served by one
 * API process, with a bare Fastify route that sends as many bytes under the same headers. `ratio`
 * is that of the row nearest to its bound. The index is filled by SQL and served through the
 * shipped projection and snapshot; settings are the defaults. Questions repeat, so caches answer
 * some of them; with `--questions 300000` nearly every question is new. `--only TEXT` measures the
 * rows whose names contain it.
 */
const QUESTION_COUNT = 10_000

const options = readOptions(50_000, { usual: 50_000, ...slices })
const sizes = computeSizes(options.size)
note(`filling a store with ${sizes.agents} agents and ${sizes.domains} domains …`)
await fillReads(options.folder, sizes)

const bounds = new Bounds()
const verdicts: { name: string; atLeast: number; verdict: Verdict }[] = []
const measured = await HttpBench.with(options, { bulkResolvePerMinute: 1e9 }, async bench => {
  for (const { name, atLeast, questions } of readRows.filter(row =>
    row.name.includes(options.only),
  )) {
    const count = options.questions ?? Math.min(QUESTION_COUNT, 10 * sizes.agents)
    const parameters = { random: createRandom('reads', name), sizes, folder: options.folder, count }
    const comparison = await bench.compare(questions(parameters))
    const verdict = judge(comparison)
    verdicts.push({ name, atLeast, verdict })
    printComparison(`${name}, ${sizes.agents} agents`, comparison)
    console.log(`${formatVerdict(name, verdict, atLeast, bounds)}\n`)
  }
  return { memory: bench.apiMemoryMB, readyMs: bench.readyMs }
})

const [nearest] = [...verdicts].sort(
  (a, b) => a.verdict.ratio / a.atLeast - b.verdict.ratio / b.atLeast,
)
printResult({
  bench: 'reads',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(requireValue(nearest, 'row').verdict.slices),
  by_row: Object.fromEntries(
    verdicts.map(({ name, atLeast, verdict }) => [
      name,
      { ...roundVerdict(verdict), at_least: atLeast },
    ]),
  ),
  api_rss_anon_mb: Math.round(measured.memory),
  ready_ms: Math.round(measured.readyMs),
  missed: bounds.missed,
})
