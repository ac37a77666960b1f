import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { readQueueStatus } from '../../jobs/api-client/queue-status.ts'
import { filterRedisProblems, findRedisProblems } from '../../jobs/api-client/redis-requirements.ts'
import { watchRedis } from '../../jobs/api-client/redis-status.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { createLog, type Log } from '../../pipeline/core/log.ts'
import { findSettingNotes } from '../../pipeline/core/settings/setting-notes.ts'
import { type IndexStatus, reportIndex } from '../../pipeline/maintenance/inspect/index-status.ts'
import { measureStores } from '../../pipeline/maintenance/inspect/store-sizes.ts'
import { readSearchCheckpoint } from '../../pipeline/search/checkpoint.ts'
import { readCheckpoint } from '../../pipeline/store/checkpoint.ts'
import { Database } from '../../pipeline/store/database.ts'
import { readFreeDisk } from '../../pipeline/store/free-disk.ts'
import { type Paths, resolvePaths } from '../../pipeline/store/paths.ts'
import { openRecordFile } from '../../pipeline/store/record-file.ts'
import { hasDemo } from './demo-folder.ts'
import { readSettings } from './environment.ts'
import { INDEXER_SILENCE_MAX_MS } from './frozen-indexer.ts'
import { assertRegistry, findRunningRegistry, isHeld } from './open-registry.ts'
import { readDemoCredentialsKey } from './registry-key.ts'
import { describeReplicaStatus, readReplicaStatus } from './replica-status.ts'
import { connectWriter } from './running.ts'
import { describeStatus, findProblems, type RegistryStatus } from './status-text.ts'
import { findUnreadableCredentials } from './stored-credentials.ts'
import {
  fetchSupervisorProblems,
  leaveDetailsToStatus,
  type Reported,
} from './supervisor-problems.ts'

/** Time in which `start` brings up the other roles after the indexer. */
const STARTING_MS = 60_000

/** Prints the state of the registry; exits with 1 where something is wrong. */
export async function printStatus({ json }: { json?: boolean }): Promise<void> {
  const config = readSettings()
  const replica = await readReplicaStatus(resolvePaths(config.DATA_DIR), systemClock.now())
  if (replica === undefined) assertRegistry(config)
  const status = replica ?? (await readStatus(config))
  const describe = () =>
    'replica' in status
      ? describeReplicaStatus(status, systemClock.now())
      : describeStatus(status, systemClock.now())
  process.stdout.write(`${json ? JSON.stringify(status) : describe().join('\n')}\n`)
  if (status.problems.length > 0) process.exitCode = 1
}

/** Reads the state of the registry in DATA_DIR, running or not; `own` is what a running `start` says of itself. */
export async function readStatus(config: Config, own?: Reported): Promise<RegistryStatus> {
  const paths = resolvePaths(config.DATA_DIR)
  const run = await findRunningRegistry(config)
  const log = createLog('status', 'error')
  const [queues, reported] = await Promise.all([
    run ? readQueueStatus(run.redis_url, log) : undefined,
    own ?? fetchSupervisorProblems(paths),
  ])
  const fresh = run && queues && !isIndexerSilent(reported) ? await askIndexer(run) : undefined
  const index = fresh ?? (await readRecord(paths))
  const checkpoint = readCheckpoint(paths)
  const facts = {
    data_dir: paths.dir,
    is_demo: hasDemo(paths),
    running: run
      ? {
          base_url: run.base_url,
          since: run.started_at,
          pid: run.supervisor_pid ?? run.indexer_pid,
          indexer_pid: run.indexer_pid,
          version: run.version ?? null,
        }
      : null,
    has_start: await isHeld(paths.startLock),
    // Only a `start` reports; a role that an operator starts alone is not waited for.
    is_starting:
      run !== undefined &&
      reported !== undefined &&
      systemClock.now() - Date.parse(run.started_at) < STARTING_MS,
    source: fresh ? ('indexer' as const) : index ? ('record' as const) : null,
    index: index ?? null,
    snapshot: checkpoint ? { seq: checkpoint.seq, made_at: checkpoint.as_of ?? null } : null,
    has_push: await isHeld(paths.pushLock),
    queues: queues ?? null,
    supervisor_problems: leaveDetailsToStatus(reported?.blocking ?? []),
    notes: reported?.notes ?? listNotes(config, paths, run !== undefined),
    redis_problems: reported
      ? filterRedisProblems(reported.blocking)
      : run && queues
        ? await readRedisProblems(run, config, log)
        : [],
    stores: Object.entries(measureStores(paths)).map(([name, bytes]) => ({ name, bytes })),
    disk_free: readFreeDisk(paths),
    missing: listMissing(paths, (index?.seq ?? 0) > 0),
  }
  return { ...facts, problems: findProblems(facts, systemClock.now()) }
}

/** Lists the files that lookups, lists and search are read from, as far as they are gone. */
function listMissing(paths: Paths, hasCommits: boolean): string[] {
  const checkpoint = readCheckpoint(paths)
  const search = readSearchCheckpoint(paths)
  const files = [
    ...(hasCommits ? [paths.servingFile] : []),
    ...(checkpoint ? [`${paths.snapshots}/${checkpoint.snapshot}`, paths.registry] : []),
    ...(search ? [`${paths.search}/${search.file}`] : []),
  ]
  return files.filter(file => !existsSync(file)).map(file => relative(paths.dir, file))
}

/**
 * Finds by the settings of this shell, for lack of a running `start`, what its notes would say. A role that runs alone
 * may have other settings than the one that people sign in at.
 */
function listNotes(config: Config, paths: Paths, isRunning: boolean): string[] {
  const unreadable = findUnreadableCredentials(
    config.CREDENTIALS_KEY ?? readDemoCredentialsKey(paths),
    paths,
  )
  return [
    ...(unreadable === undefined ? [] : [unreadable]),
    ...(isRunning ? [] : findSettingNotes(config)),
  ]
}

/** Reads which requirements Redis does not meet; none where it does not answer anymore. */
async function readRedisProblems({ redis_url }: RunFile, config: Config, log: Log) {
  const watch = watchRedis(redis_url, log)
  try {
    const status = await watch.read()
    return status === undefined ? [] : findRedisProblems(status.info, config)
  } finally {
    watch.close()
  }
}

/** Tells whether the running `start` says that its indexer is silent: asking that would only wait. */
function isIndexerSilent(reported: Reported | undefined): boolean {
  return (
    reported?.blocking.some(problem => problem.startsWith('the indexer does not answer')) ?? false
  )
}

/** Asks the indexer; undefined where it does not answer in time. */
async function askIndexer({ redis_url }: RunFile): Promise<IndexStatus | undefined> {
  const writer = await connectWriter(redis_url, 'status')
  try {
    return await writer.ask<IndexStatus>({ ask: 'status' }, INDEXER_SILENCE_MAX_MS)
  } catch (error) {
    if (error instanceof PublicError) return undefined
    throw error
  } finally {
    await writer.close()
  }
}

async function readRecord(paths: Paths): Promise<IndexStatus | undefined> {
  const db = openRecordFile(paths)
  if (db === undefined) return undefined
  try {
    return await reportIndex(new Database(db), systemClock.now())
  } finally {
    db.close()
  }
}
