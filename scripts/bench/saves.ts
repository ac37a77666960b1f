import { join } from 'node:path'
import { Bounds } from './support/bounds.ts'
import { builtFolder, Child } from './support/child.ts'
import { NightFeed } from './support/night-feed.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import { note, printResult, printTable } from './support/report.ts'
import type { LoopQuestion, LoopRun } from './support/save-loop.ts'
import { SaveRig, type SaveRun } from './support/save-rig.ts'
import { computeMedian, computeSpread, roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Compares `POST /api/brands/save` with a loop that stores the same rows as durably and does
 * nothing else: one transaction in SQLite, one in LMDB, one line of an event file, each on disk
 * before the next. Both run once before they are timed, so that brands are known and code is
 * compiled; the cost of a first save is printed beside. One connection is compared with a loop of
 * single rows, fifty with one that commits fifty at a time. Then saves come one by one while the
 * same indexer takes in, as fast as it can, two nights of twenty files per brand (a first and a
 * quiet one) and two files of 4 to 5 MB. The limits on saves are raised; all other settings are the
 * defaults.
 */
const FILES_EACH = 20
/** Properties and agents of a large file: the most that are kept of one publisher. */
const LARGE_PROPERTIES = 12_000

const options = readOptions(10_000, { usual: 1_000 })
const { connections, folder, pairs, seconds, size } = options
note('starting an indexer and an API …')
const rig = await SaveRig.start(folder)
const loop = await Child.start<object, LoopQuestion, LoopRun>(
  join(builtFolder, 'scripts/bench/support/save-loop.js'),
  { args: [folder, String(size)] },
)
// First saves cost more: their brands are unknown, and the code is not compiled yet.
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
const besideNight = rig.runWhile(() => isNight, 1, size)
const nightStarted = performance.now()
for (const messages of nights) await feed.send(messages)
const nightS = (performance.now() - nightStarted) / 1_000
isNight = false
const withNight = await besideNight
const { bulk, longestBulkMs } = rig.commits

const properties = Math.min(LARGE_PROPERTIES, 12 * size)
note(`two files of ${properties} properties and as many agents …`)
const largeFiles = await feed.prepareLarge(properties)
const withoutLarge = await rig.run(1, 2 * seconds, size)
let isLarge = true
const besideLarge = rig.runWhile(() => isLarge, 1, size)
const largeStarted = performance.now()
await feed.send(largeFiles)
const largeS = (performance.now() - largeStarted) / 1_000
isLarge = false
const withLarge = await besideLarge
await feed.close()
await rig.close()
options.tidy()

const p50 = computeSpread(rounds.map(({ alone, bareAlone }) => alone.p50Ms / bareAlone.p50Ms))
const rows = computeSpread(rounds.map(({ many, bareMany }) => many.perSecond / bareMany.perSecond))
const middle = (measure: (round: (typeof rounds)[number]) => number) =>
  roundForPrint(computeMedian(rounds.map(measure)))
const bounds = new Bounds()
const commits = middle(({ many }) => (many as SaveRun).commits)
printTable(
  [`saves of ${size} brands`, 'ours', 'loop', 'ratio'],
  [
    [
      'one connection, p50',
      `${middle(({ alone }) => alone.p50Ms)} ms`,
      `${middle(({ bareAlone }) => bareAlone.p50Ms)} ms`,
      `${roundForPrint(p50.median)} (${bounds.atMost('one connection', p50.median, 3)})`,
    ],
    [
      `${connections} connections, a second`,
      middle(({ many }) => many.perSecond),
      middle(({ bareMany }) => bareMany.perSecond),
      `${roundForPrint(rows.median)} (${bounds.atLeast('50 connections', rows.median, 0.3)})`,
    ],
    ['first saves, one connection, p50', `${roundForPrint(first.p50Ms)} ms`, '', ''],
    ['commits a save', commits, '', `(${bounds.atMost('commits a save', commits, 0.2)})`],
    [
      `${bulk} bulk commits in ${roundForPrint(nightS)} s, the longest`,
      `${longestBulkMs} ms`,
      '',
      '',
    ],
    [
      `${withNight.saves} saves meanwhile, one by one, p50`,
      `${roundForPrint(withNight.p50Ms)} ms`,
      '',
      '',
    ],
    ['  p99', `${roundForPrint(withNight.p99Ms)} ms`, '', ''],
    [
      '  the slowest',
      `${roundForPrint(withNight.worstMs)} ms`,
      '',
      `(${bounds.atMost('the slowest save beside a night', withNight.worstMs, 1_000, ' ms')})`,
    ],
    [`two large files in ${roundForPrint(largeS)} s`, 'beside', 'without', 'ratio'],
    [
      `${withLarge.saves} saves meanwhile, one by one, p50`,
      `${roundForPrint(withLarge.p50Ms)} ms`,
      `${roundForPrint(withoutLarge.p50Ms)} ms`,
      `${roundForPrint(withLarge.p50Ms / withoutLarge.p50Ms)}`,
    ],
    [
      '  p99',
      `${roundForPrint(withLarge.p99Ms)} ms`,
      `${roundForPrint(withoutLarge.p99Ms)} ms`,
      `${roundForPrint(withLarge.p99Ms / withoutLarge.p99Ms)} (beside ${bounds.atMost('p99 beside large files', withLarge.p99Ms, 1_000, ' ms')})`,
    ],
    ['  the slowest', `${roundForPrint(withLarge.worstMs)} ms`, '', ''],
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
    saves: withNight.saves,
    p50_ms: roundForPrint(withNight.p50Ms),
    p99_ms: roundForPrint(withNight.p99Ms),
    worst_ms: roundForPrint(withNight.worstMs),
    bulk_commits: bulk,
    longest_bulk_ms: longestBulkMs,
  },
  beside_large: {
    files: largeFiles.length,
    seconds: roundForPrint(largeS),
    saves: withLarge.saves,
    p50_ms: roundForPrint(withLarge.p50Ms),
    p99_ms: roundForPrint(withLarge.p99Ms),
    worst_ms: roundForPrint(withLarge.worstMs),
    p99_without_ms: roundForPrint(withoutLarge.p99Ms),
    p99_ratio: roundForPrint(withLarge.p99Ms / withoutLarge.p99Ms),
  },
  missed: bounds.missed,
})
