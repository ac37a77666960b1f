import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** Mode of a folder that is for the user of the registry alone. */
export const PRIVATE_FOLDER_MODE = 0o700

/** Resolves every file name below DATA_DIR. */
export function resolvePaths(dataDir: string) {
  const dir = resolve(dataDir)
  const at = (...parts: string[]) => join(dir, ...parts)
  return {
    dir,
    /** The tables of the index are in the record. */
    index: at('record', 'record.sqlite'),
    /** The columnar index that publication keeps up; snapshots are copies of it. */
    columnar: at('columnar.duckdb'),
    /** The record: every row that the writer knows, in a folder of its own, so that its log is as private as the file. */
    record: at('record', 'record.sqlite'),
    /** The index as the version before kept it, and the files that this one locked (`import-index.ts`). */
    oldIndex: at('index.duckdb'),
    oldLocks: ['lease', 'start', 'push'].map(name => at(`${name}.duckdb`)),
    /** Both stores as they were before the import: nothing reads them, and a takedown or retention deletes them. */
    old: at('old'),
    /** Private key that `start` makes where the settings name none. */
    registryKey: at('accounts', 'registry-key.jwk'),
    /** Private key of the log that `start` makes where the settings name none. */
    logKey: at('accounts', 'log-key.jwk'),
    /** Head of the log that was signed last; beside the accounts, so that it outlives the log's folder. */
    logHead: at('accounts', 'log-head'),
    /** The tamper-evident log of the events: files as they are published, and the id of each leaf's event. */
    log: at('log'),
    logIds: at('log', 'ids'),
    demoCredentialsKey: at('accounts', 'demo-credentials-key'),
    demoDomains: at('demo-domains.txt'),
    lease: at('lease.lock'),
    serving: at('serving'),
    servingFile: at('serving', 'serving.mdb'),
    events: at('events'),
    eventFile: (day: string) => at('events', `${day}.ndjson`),
    snapshots: at('snapshots'),
    snapshotFile: (number: number) => at('snapshots', `${String(number).padStart(6, '0')}.duckdb`),
    registry: at('registry.duckdb'),
    search: at('search'),
    searchCheckpoint: at('search', 'current.json'),
    parquet: at('parquet'),
    parquetManifest: at('parquet', 'manifest.json'),
    bodies: at('bodies'),
    bodyFile: (hash: string) => at('bodies', hash.slice(-2), `${hash}.gz`),
    /** Pictures of logos. */
    pictures: at('logos'),
    logoFile: (hash: string) => at('logos', hash.slice(0, 2), hash),
    /** Pictures of pages that were drawn before; they can be drawn again. */
    pagePictures: at('page-pictures'),
    /** Records that callers made at the reference agent. */
    agentState: at('agent', 'state.mdb'),
    /** Progress of deliveries of changes. */
    pushState: at('push', 'state.mdb'),
    /** Locked by the one process that delivers. */
    pushLock: at('push.lock'),
    checkpoint: at('checkpoint.json'),
    /** State of a replica (`replica-state.ts`). */
    replica: at('replica.json'),
    /** Log of the origin, as a replica saw it last. */
    replicaLog: at('replica-log.json'),
    /** Files that a replica is copying. */
    copying: at('copying'),
    restoring: at('restoring'),
    /** Exists while the stores may lack what another host has answered. */
    behind: at('behind'),
    /** Id of this folder among those that may write, and the fencing number under which it wrote last. */
    tenure: at('tenure.json'),
    /** The backup that is being made for `BACKUP_TO`. Operators call their own ones `backup`, which nothing may touch. */
    backingUp: at('backing-up'),
    /** The newest backup, as a standby keeps it. */
    standby: at('standby'),
    /** Sizes and times of the derived files as the registry left them (`seals.ts`). */
    seals: at('seals'),
    /** Damaged files that were made again; as private as the data they may hold. */
    damaged: at('damaged'),
    run: at('run.json'),
    /** Its time is that at which the writer last made progress. */
    heartbeat: at('heartbeat'),
    /** Locked by the one `start` that may run here. */
    startLock: at('start.lock'),
    /** Address of the operator's port of that `start`. */
    operatorUrl: at('operator-url'),
    /** Name of the protocol under which `start` ran here. */
    protocolName: at('protocol-name'),
    redis: at('redis'),
    redisPid: at('redis', 'redis.pid'),
    /** Files that Redis could not read anymore. */
    redisDamaged: at('redis-damaged'),
    /** Socket paths are limited to about 100 bytes, so a deep DATA_DIR gets one elsewhere. */
    redisSocket: choosePath(at('redis', 'redis.sock'), dir),
  }
}

export type Paths = ReturnType<typeof resolvePaths>

/** Makes DATA_DIR and, within it, the folders that only its user may read. */
export function makeFolders({ dir, record, registryKey, serving, bodies, pictures }: Paths): void {
  makeFolder(dir)
  for (const folder of [dirname(record), dirname(registryKey), serving, bodies, pictures]) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, PRIVATE_FOLDER_MODE)
  }
}

/** Makes a folder and those above it. Node's own way never ends where a file system refuses it, as /proc does. */
export function makeFolder(dir: string, mode?: number): void {
  const isThere = () => statSync(dir, { throwIfNoEntry: false })?.isDirectory()
  if (isThere()) return
  if (dirname(dir) !== dir) makeFolder(dirname(dir), mode)
  try {
    mkdirSync(dir, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isThere()) throw error
  }
}

function choosePath(wanted: string, dir: string): string {
  if (Buffer.byteLength(wanted) <= 100) return wanted
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return join(tmpdir(), `registry-${name}.sock`)
}
