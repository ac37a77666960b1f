import { getFirst } from '../../pipeline/core/present.ts'
import { matchTypes } from '../../pipeline/read/lookups/feed-types.ts'
import { Bounds } from './support/bounds.ts'
import {
  formatVerdict,
  judge,
  printComparison,
  roundVerdict,
  type Verdict,
} from './support/comparison-report.ts'
import { fillEvents, listCursors, rareType, secret } from './support/event-store.ts'
import { HttpBench } from './support/http-bench.ts'
import type { Question } from './support/load-runner.ts'
import { readOptions, slices } from './support/options.ts'
import { note, printResult } from './support/report.ts'
import { roundSpread } from './support/spread.ts'

/**
 * Compares pages of 100 events from random cursors, `GET /api/registry/feed`, with a bare Fastify
 * route that sends as many bytes: all types, one family of types, and a type that one event in ten
 * thousand has. `ratio` is that of the slowest. The store is filled directly; settings are the
 * defaults.
 */
const options = readOptions(10_000_000, slices)
note(`filling a store with ${options.size} events …`)
await fillEvents(options.folder, options.size)
const headers = { authorization: `Bearer ${secret}` }
const filters = ['*', 'agent.*', rareType]

const bounds = new Bounds()
const verdicts: Record<string, Verdict> = {}
const memory = await HttpBench.with(options, {}, async bench => {
  for (const name of filters) {
    const cursors = listCursors(options.folder, options.size, 20_000, matchTypes([name]))
    const filter = name === '*' ? '' : `&types=${name}`
    const questions = cursors.map((cursor): Question => {
      const path = `/api/registry/feed?limit=100&cursor=${cursor}${filter}`
      return { method: 'GET', path, headers }
    })
    const comparison = await bench.compare(questions)
    verdicts[name] = judge(comparison)
    printComparison(`${name}, ${options.size} events`, comparison)
    console.log(`${formatVerdict(name, verdicts[name], 0.25, bounds)}\n`)
  }
  return bench.apiMemoryMB
})

const slowest = getFirst(Object.values(verdicts).sort((a, b) => a.ratio - b.ratio))
printResult({
  bench: 'feed',
  size: options.size,
  pairs: options.pairs,
  seconds: options.seconds,
  ratio: roundSpread(slowest.slices),
  by_filter: Object.fromEntries(
    Object.entries(verdicts).map(([name, verdict]) => [name, roundVerdict(verdict)]),
  ),
  api_rss_anon_mb: Math.round(memory),
  missed: bounds.missed,
})
