import { join } from 'node:path'
import { built, Child } from './support/child.ts'
import { NightFeed } from './support/night-feed.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import { note, printResult, printTable } from './support/report.ts'
import type { LoopQuestion, LoopRun } from './support/save-loop.ts'
import { SaveRig, type SaveRun } from './support/save-rig.ts'
import { computeMedian, computeSpread, roundForPrint, roundSpread } from './support/spread.ts'

/**
 * `POST /api/brands/save`, beside a loop that keeps the same rows as durably and does nothing else: one
 * transaction in DuckDB, one in LMDB, one line of an event file, each on disk before the next. Both run
 * once before they are timed, so brands are known; what a first save costs is printed beside. One
 * connection is compared with a loop of single rows, fifty with one that commits fifty at a time. At last
 * the same indexer takes in nights of twenty files a brand, a first one in which all is new and a quiet one,
 * as fast as it can, while saves come one by one. The limits of saves are raised; all other settings are
 * the defaults.
 */
const FILES_EACH = 20

const options = readOptions(10_000, 1_000)
const { connections, folder, pairs, seconds, size } = options
note('starting an indexer and an API …')
const rig = await SaveRig.start(folder)
const loop = await Child.start<object, LoopQuestion, LoopRun>(
  join(built, 'scripts/bench/support/save-loop.js'),
  { args: [folder, String(size)] },
)
// Brands that nobody knew cost more; and what runs for the first time is not compiled yet.
const first = await rig.run(1, seconds, Number.POSITIVE_INFINITY)
await loop.ask({ rows: 1, seconds })
await rig.run(connections, seconds, size)
await loop.ask({ rows: connections, seconds })
const rounds = await runInterleaved<'alone' | 'many' | 'bareAlone' | 'bareMany', LoopRun | SaveRun>(
  pairs,
  {
    alone: () => rig.run(1, seconds, size),
    bareAlone: () => loop.ask({ rows: 1, seconds }),
    many: () => rig.run(connections, seconds, size),
    bareMany: () => loop.ask({ rows: connections, seconds }),
  },
)
await loop.stop()

note(`a first night and a quiet one of ${FILES_EACH * size} files …`)
const feed = await NightFeed.open(rig.redisUrl, FILES_EACH * size)
const nights = [await feed.prepare(1), await feed.prepare(2)]
let isNight = true
const beside = rig.runWhile(() => isNight, 1, size)
const night = performance.now()
for (const messages of nights) await feed.send(messages)
const nightS = (performance.now() - night) / 1_000
isNight = false
const meanwhile = await beside
const { bulk, longestBulkMs } = rig.commits
await feed.close()
await rig.close()
options.tidy()

const p50 = computeSpread(rounds.map(({ alone, bareAlone }) => alone.p50Ms / bareAlone.p50Ms))
const rows = computeSpread(rounds.map(({ many, bareMany }) => many.perSecond / bareMany.perSecond))
const middle = (measure: (round: (typeof rounds)[number]) => number) =>
  roundForPrint(computeMedian(rounds.map(measure)))
const commits = middle(({ many }) => (many as SaveRun).commits)
printTable(
  [`saves of ${size} brands`, 'ours', 'loop', 'ratio'],
  [
    [
      'one connection, p50',
      `${middle(({ alone }) => alone.p50Ms)} ms`,
      `${middle(({ bareAlone }) => bareAlone.p50Ms)} ms`,
      `${roundForPrint(p50.median)} (at most 3)`,
    ],
    [
      `${connections} connections, a second`,
      middle(({ many }) => many.perSecond),
      middle(({ bareMany }) => bareMany.perSecond),
      `${roundForPrint(rows.median)} (at least 0.3)`,
    ],
    ['first saves, one connection, p50', `${roundForPrint(first.p50Ms)} ms`, '', ''],
    ['commits a save', commits, '', '(below 0.2)'],
    [
      `${bulk} bulk commits in ${roundForPrint(nightS)} s, the longest`,
      `${longestBulkMs} ms`,
      '',
      '',
    ],
    [
      `${meanwhile.saves} saves meanwhile, one by one, p50`,
      `${roundForPrint(meanwhile.p50Ms)} ms`,
      '',
      '',
    ],
    ['  p99', `${roundForPrint(meanwhile.p99Ms)} ms`, '', ''],
    ['  the slowest', `${roundForPrint(meanwhile.worstMs)} ms`, '', '(at most 1,000)'],
  ],
)
printResult({
  bench: 'saves',
  size,
  pairs,
  seconds,
  ratio: roundSpread(p50),
  rows_ratio: roundSpread(rows),
  first_p50_ms: roundForPrint(first.p50Ms),
  commits_per_save: commits,
  beside_bulk: {
    saves: meanwhile.saves,
    p50_ms: roundForPrint(meanwhile.p50Ms),
    p99_ms: roundForPrint(meanwhile.p99Ms),
    worst_ms: roundForPrint(meanwhile.worstMs),
    bulk_commits: bulk,
    longest_bulk_ms: longestBulkMs,
  },
})
