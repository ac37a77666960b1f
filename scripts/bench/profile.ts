import { createRandom } from '../world/random.ts'
import { HttpBench } from './support/http-bench.ts'
import { readOptions } from './support/options.ts'
import { partNames, splitProfile } from './support/profile-parts.ts'
import { readRows } from './support/read-rows.ts'
import { computeSizes, fillReads } from './support/read-store.ts'
import { note, printResult, printTable } from './support/report.ts'
import { roundForPrint } from './support/spread.ts'

/**
 * Prints where the processor time of each kind of answer goes, in microseconds an answer, from a profile of the API.
 * The stores and questions are those of `bench:reads`; `--only TEXT` profiles the rows whose names contain it.
 */
const QUESTION_COUNT = 10_000

const options = readOptions(50_000, { usual: 5_000 })
const sizes = computeSizes(options.size)
note(`filling a store with ${sizes.agents} agents and ${sizes.domains} domains …`)
await fillReads(options.folder, sizes)

const table = await HttpBench.with(
  options,
  { bulkResolvePerMinute: 1e9 },
  async bench => {
    const lines: (string | number)[][] = []
    for (const { name, questions } of readRows.filter(row => row.name.includes(options.only))) {
      const random = createRandom('reads', name)
      const { folder, questions: count = QUESTION_COUNT } = options
      const asked = questions({ random, sizes, folder, count })
      const { run, profile } = await bench.profile(asked)
      const shares = splitProfile(profile)
      const micros = (part: string) => roundForPrint((shares.get(part) ?? 0) * run.cpuMicros)
      lines.push([name, roundForPrint(run.cpuMicros), ...partNames.map(micros)])
    }
    return lines
  },
  'scripts/bench/support/profiled-api.js',
)

printTable(['µs an answer', 'all', ...partNames], table)
printResult({
  bench: 'profile',
  size: options.size,
  seconds: options.seconds,
  by_row: Object.fromEntries(table.map(([name, all]) => [name, all])),
})
