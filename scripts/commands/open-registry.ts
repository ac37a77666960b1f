import { existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { findTenure } from '../../jobs/fleet/tenure.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { Lease } from '../../pipeline/store/lease.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import {
  describeLostRecord,
  hasContent,
  hasOldIndex,
  hasTraces,
} from '../../pipeline/store/record-file.ts'
import type { Sequencer, SequencerOptions } from '../../pipeline/writer/sequencer.ts'
import { mayBegin } from './empty-folder.ts'
import { describeNoRegistry } from './environment.ts'

/** Time that a registry which is starting gets to say where it runs. */
const STARTING_MS = 10_000
const LOOK_EVERY_MS = 100

export type OpenOptions = Pick<SequencerOptions, 'acceptsOlderIndex'> & {
  /** Creates the registry where one may begin (`empty-folder.ts`). */
  begins?: boolean
  /** Lowest level that is logged, by default `warn`. */
  level?: string
  /** Is for writes, which only an indexer may do where other hosts take over from backups. */
  writes?: boolean
}

type Found = { run: RunFile; sequencer?: never } | { run?: never; sequencer: Sequencer }
type FoundOr<Result> = { run: RunFile; alone?: never } | { run?: never; alone: Result }

/**
 * Finds the registry that runs on this DATA_DIR. `run.json` counts only while the lease is held.
 */
export async function findRunningRegistry(config: Config): Promise<RunFile | undefined> {
  const paths = resolvePaths(config.DATA_DIR)
  if (!existsSync(paths.run) || !(await isHeld(paths.lease))) return undefined
  return JSON.parse(readFileSync(paths.run, 'utf8')) as RunFile
}

/** Finds the running registry, or opens the sequencer in this process where none runs. */
export async function findOrOpen(config: Config, how: OpenOptions = {}): Promise<Found> {
  const { run, alone } = await findOrTake(config, () => openUnlessTaken(config, how))
  return run ? { run } : { sequencer: alone }
}

/** Finds the running registry, or does work without one that resolves to undefined while another process writes. */
export async function findOrTake<Result>(
  config: Config,
  take: () => Promise<Result | undefined>,
): Promise<FoundOr<Result>> {
  const run = await findRunningRegistry(config)
  if (run) return { run }
  const taken = await take()
  if (taken !== undefined) return { alone: taken }
  const started = await waitForStartingRegistry(config)
  return started ? { run: started } : { alone: requireFree(config, await take()) }
}

function requireFree<Result>({ DATA_DIR }: Config, taken: Result | undefined): Result {
  if (taken === undefined)
    throw new Error(`another process is writing to ${DATA_DIR}: wait until it ends, or stop it`)
  return taken
}

/**
 * Waits until the process that writes to this DATA_DIR, or the `start` that is about to, says that it is a registry.
 * Returns undefined if it ends, or is another command.
 */
async function waitForStartingRegistry(config: Config): Promise<RunFile | undefined> {
  const { lease, startLock } = resolvePaths(config.DATA_DIR)
  for (const end = performance.now() + STARTING_MS; ; await setTimeout(LOOK_EVERY_MS)) {
    const run = await findRunningRegistry(config)
    if (run || performance.now() > end) return run
    if (!(await isHeld(lease)) && !(await isHeld(startLock))) return undefined
  }
}

/** Tells whether a process holds a lock; unlike taking it, this makes no file. */
export async function isHeld(lock: string): Promise<boolean> {
  return existsSync(lock) && (await Lease.isHeld(lock))
}

/** Opens the sequencer in this process, for a command that runs without a registry. */
export async function openAlone(config: Config, how: OpenOptions = {}): Promise<Sequencer> {
  return requireFree(config, await openUnlessTaken(config, how))
}

/** Publishes what the record has, while no start runs: after a rebuild nothing is published. */
export async function publishAlone(config: Config): Promise<void> {
  // What is missing here was left to this publication, and is no news.
  const sequencer = await openAlone(config, { level: 'error' })
  try {
    await sequencer.publish()
  } finally {
    await sequencer.close()
  }
}

async function openUnlessTaken(
  config: Config,
  { begins = false, writes = false, level = 'warn', ...how }: OpenOptions,
): Promise<Sequencer | undefined> {
  if (writes) assertNoFleet(config)
  if (begins && (await isBeginning(config))) return undefined
  const isNew = begins && mayBegin(config)
  if (!isNew) assertRegistry(config)
  const { Sequencer } = await import('../../pipeline/writer/sequencer.ts')
  const log = createLog('registry', level)
  const opened = await Sequencer.open({ config, clock: systemClock, log, ...how })
  if (isNew && opened !== undefined) sayBegun(config)
  return opened
}

/** Says that a command has created a registry: who forgot DATA_DIR meant another one. */
function sayBegun({ DATA_DIR }: Config): void {
  const { dir } = resolvePaths(DATA_DIR)
  process.stderr.write(
    `Created a new registry in ${dir}, since there was none. If you meant another one, set DATA_DIR to its folder.\n`,
  )
}

/**
 * Throws where other hosts take over from backups: they would not learn of a write by a command alone. The folder knows
 * this too, since the setting may be in no shell. What an operator has restored is continued with whatever is written.
 */
function assertNoFleet({ BACKUP_TO, DATA_DIR }: Config): void {
  const paths = resolvePaths(DATA_DIR)
  const tenure = findTenure(paths)
  if (tenure?.isRestored) return
  const advice = 'no indexer writes here: start it, or run this on the host that writes'
  if (BACKUP_TO !== undefined) throw new Error(`BACKUP_TO is set, and ${advice}`)
  if (tenure !== undefined)
    throw new Error(
      `the registry in ${paths.dir} ran with BACKUP_TO, and ${advice}. If it no longer has backups, delete ${paths.tenure}`,
    )
}

/** Tells whether a `start` runs whose indexer has not made the record yet. */
async function isBeginning({ DATA_DIR }: Config): Promise<boolean> {
  const { record, startLock } = resolvePaths(DATA_DIR)
  return !hasContent(record) && (await isHeld(startLock))
}

/** Throws where there is no registry: a mistyped DATA_DIR must not create one. Names a record that is lost. */
export function assertRegistry({ DATA_DIR }: Config): void {
  const paths = resolvePaths(DATA_DIR)
  const { dir } = paths
  if (hasContent(paths.record) || hasOldIndex(paths)) return
  if (existsSync(paths.replica))
    throw new Error(`${dir} holds a replica: run this in the folder of its registry`)
  if (hasTraces(paths)) throw new Error(describeLostRecord(paths))
  throw new Error(describeNoRegistry(dir))
}
