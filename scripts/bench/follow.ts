import { createReadStream, createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { requireValue } from '../../pipeline/core/present.ts'
import { FILES, MANIFEST, PublishedManifest } from '../../pipeline/replica/manifest.ts'
import { readSearchCheckpoint } from '../../pipeline/search/checkpoint.ts'
import { readCheckpoint } from '../../pipeline/store/checkpoint.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { readReplicaState } from '../../pipeline/store/replica-state.ts'
import { builtFolder, Child } from './support/child.ts'
import type { NightEnd, OriginReady } from './support/follow-origin.ts'
import { readOptions } from './support/options.ts'
import { runInterleaved } from './support/pairs.ts'
import { note, printResult, printTable } from './support/report.ts'
import { computeMedian, computeSpread, roundForPrint, roundSpread } from './support/spread.ts'

/**
 * Measures replicas of a registry that has every file: the time from the start of the process until an empty
 * folder has the commit, the snapshot and the search file of the origin, beside a copy of the same files by
 * streams, and the time from the last commit of a night in which nothing changed until a replica has it.
 * `ratio` is bootstrap ÷ copy. The published folder is served over HTTP on loopback.
 */
const POLL_MS = 5
const options = readOptions(1_000_000)
const published = join(options.folder, 'published-for-replicas')
const program = (name: string) => join(builtFolder, `scripts/bench/support/${name}.js`)
note(`filling an index with ${options.size} files …`)
const sized = String(options.size)
await (await Child.start(program('commit-fill'), { args: [options.folder, sized] })).stop()
note('publishing …')
const origin = await Child.start<OriginReady, object, NightEnd>(program('follow-origin'), {
  args: [options.folder, published, sized],
})
const manifest = readManifest()
const { base, segments } = manifest
const snapshot = requireValue(manifest.snapshot, 'snapshot')
const search = requireValue(manifest.search, 'search file')
const copied = [base, ...segments, snapshot, search]

const rounds = await runInterleaved(options.pairs, {
  replica: async () => {
    const { seconds, end } = await startReplica('replica')
    await end()
    return seconds
  },
  copy: copyFiles,
})
const { paths, end } = await startReplica('follower')
const lags: number[] = []
for (let n = 0; n < options.pairs; n++) {
  const { seq, committedAt } = await origin.ask({})
  while ((readReplicaState(paths)?.seq ?? 0) < seq) await setTimeout(POLL_MS)
  lags.push((Date.now() - committedAt) / 1_000)
}
await end()
await origin.stop()
options.tidy()

const ratio = computeSpread(rounds.map(({ replica, copy }) => replica / copy))
const bytes = copied.reduce((sum, file) => sum + file.bytes, 0)
const bootstrapSeconds = computeMedian(rounds.map(({ replica }) => replica))
const copySeconds = computeMedian(rounds.map(({ copy }) => copy))
const longestLag = Math.max(...lags)
printTable(
  [`a replica of ${options.size} files`, 'measured', 'must'],
  [
    ['copied', `${Math.round(bytes / 1e6)} MB`, ''],
    ['bootstrap', `${roundForPrint(bootstrapSeconds)} s`, ''],
    ['the same files by streams', `${roundForPrint(copySeconds)} s`, ''],
    ['bootstrap ÷ copy', roundForPrint(ratio.median), '≤ 3'],
    ['lag after a quiet night, longest', `${roundForPrint(longestLag)} s`, '≤ 2 s'],
  ],
)
printResult({
  bench: 'follow',
  size: options.size,
  pairs: options.pairs,
  ratio: roundSpread(ratio),
  bootstrap_s: roundForPrint(bootstrapSeconds),
  copy_s: roundForPrint(copySeconds),
  copied_mb: Math.round(bytes / 1e6),
  lag_s: roundSpread(computeSpread(lags)),
  longest_lag_s: roundForPrint(longestLag),
})

function readManifest(): PublishedManifest {
  return PublishedManifest.parse(JSON.parse(readFileSync(join(published, MANIFEST), 'utf8')))
}

/** Starts a replica in an empty folder, and waits until it has everything. */
async function startReplica(name: string) {
  const folder = join(options.folder, name)
  rmSync(folder, { recursive: true, force: true })
  const paths = resolvePaths(folder)
  const started = performance.now()
  const replica = await Child.start(program('follow-replica'), {
    args: [folder, origin.ready.url],
  })
  while (!hasAll(paths)) await setTimeout(POLL_MS)
  const seconds = (performance.now() - started) / 1_000
  const end = async () => {
    await replica.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  return { seconds, paths, end }
}

function hasAll(paths: Paths): boolean {
  return (
    readReplicaState(paths)?.seq === manifest.seq &&
    readCheckpoint(paths)?.sha256 === snapshot.checkpoint.sha256 &&
    readSearchCheckpoint(paths)?.seq === search.checkpoint.seq
  )
}

/** Copies the files that a replica needs as streams, each flushed to disk, and returns the seconds. */
async function copyFiles(): Promise<number> {
  const folder = join(options.folder, 'copy')
  mkdirSync(folder)
  const started = performance.now()
  for (const { name } of copied) {
    const to = createWriteStream(join(folder, name), { flush: true })
    await pipeline(createReadStream(join(published, FILES, name)), to)
  }
  const seconds = (performance.now() - started) / 1_000
  rmSync(folder, { recursive: true })
  return seconds
}
