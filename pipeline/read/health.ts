import { statSync } from 'node:fs'
import { formatTime, HOUR, type Instant, MINUTE, SECOND, toIso } from '../core/clock.ts'
import { countThings } from '../core/counts.ts'
import { nameFullDisk } from '../core/disk-full.ts'
import { readFreeDisk, WRITE_BYTES_MIN } from '../store/free-disk.ts'
import type { Paths } from '../store/paths.ts'
import { computeReplicaLagMs, type ReplicaState, readReplicaState } from '../store/replica-state.ts'
import type { Reader } from './reader.ts'

export { readFreeDisk }

/** Interval at which a writer that makes progress says so. */
export const HEARTBEAT_EVERY_MS = 2 * SECOND
/** No task of the writer takes longer: bulk commits are cut to a fraction of a second. */
export const TASK_MAX_MS = 2 * MINUTE
/** A writer that was silent for longer is stalled, or does not run. */
export const SILENCE_MAX_MS = 20 * SECOND
/** Lists may lag behind lookups for as long: snapshots of a large index are made every 15 minutes. */
export const SNAPSHOT_LAG_MAX_MS = HOUR

/** A replica that lags for longer has lost its registry. */
const REPLICA_LAG_MAX_MS = MINUTE
/** An upload may take as long; a bucket that is behind for longer cannot be written. */
export const UPLOAD_LAG_MAX_MS = 5 * MINUTE

export const BEHIND_OTHERS =
  'another host writes, or its answers are being repeated here: what these stores lack may exist'

/** Facts about the stores of a host. */
interface StoreFacts {
  now: Instant
  /** Time at which the writer last made progress; undefined where it never ran. */
  heartbeatAt: Instant | undefined
  /** Since when commits have been missing from the snapshot; undefined while it shows all of them. */
  snapshotBehindSince: Instant | undefined
}

/** Says that credentials of agents cannot be decrypted, which no start can mend; undefined where all can. */
export function describeUnreadableCredentials(count: number): string | undefined {
  if (count === 0) return undefined
  return (
    `${countThings(count, 'stored credential')} of agents cannot be read, because CREDENTIALS_KEY is missing or not the key that ` +
    'encrypted them: set the old key again, or follow docs/operate/keys.md'
  )
}

/** Reads when the writer last made progress. */
export function readHeartbeat({ heartbeat }: Pick<Paths, 'heartbeat'>): Instant | undefined {
  return statSync(heartbeat, { throwIfNoEntry: false })?.mtimeMs
}

/**
 * Finds what is wrong with what the API shows, as sentences: a writer that makes no progress, or a snapshot
 * that has lacked commits for long. Reads go on in both cases.
 */
export function findStoreProblems(facts: StoreFacts): string[] {
  return [findStalledWriter(facts), findOldSnapshot(facts)].filter(problem => problem !== undefined)
}

/** Tells whether a writer has been silent for longer than `ms`. One that never ran is not. */
export function isWriterSilent(paths: Pick<Paths, 'heartbeat'>, now: Instant, ms: number): boolean {
  const heartbeatAt = readHeartbeat(paths)
  return heartbeatAt !== undefined && now - heartbeatAt > ms
}

/** Finds what is wrong with the stores that a reader has open. */
export function findReaderProblems(reader: Reader): string[] {
  const { snapshotBehindSince, paths } = reader
  const facts = { now: reader.now(), heartbeatAt: readHeartbeat(paths), snapshotBehindSince }
  return [
    ...findStoreProblems(facts),
    ...(reader.isBehindOthers ? [BEHIND_OTHERS] : []),
    ...findReplicaProblems(reader.replica, reader.now()),
  ]
}

/** Reads what is wrong with the replica that a folder holds, if it holds one. */
export function readReplicaProblems(paths: Pick<Paths, 'replica'>, now: Instant): string[] {
  return findReplicaProblems(readReplicaState(paths), now)
}

/** Finds that a replica does not reach its registry, or cannot follow it. */
export function findReplicaProblems(replica: ReplicaState | undefined, now: Instant): string[] {
  if (replica === undefined || computeReplicaLagMs(replica, now) <= REPLICA_LAG_MAX_MS) return []
  const { caught_up_at: at } = replica
  const since = at === null ? 'it began' : formatTime(at)
  const reason = replica.problem === undefined ? '' : `: ${replica.problem}`
  return [`this replica lacks what ${replica.origin} has published since ${since}${reason}`]
}

/** Names of roles in sentences, where that is not the command. */
const ROLE_NAMES: Readonly<Record<string, string>> = {
  api: 'API',
  push: 'push process',
  agent: 'reference agent',
}

export function nameRole(role: string): string {
  return ROLE_NAMES[role] ?? role
}

/** Says that a process is frozen, and what to do. */
export function describeFrozenProcess(role: string, pid: number): string {
  return `the ${nameRole(role)} does not answer: ${describeKill(pid)}`
}

/** Says that the Redis that `start` runs is frozen, and what to do. */
export function describeFrozenRedis(pid: number): string {
  return `Redis does not answer: ${describeKill(pid)}`
}

export function describeKill(pid: number): string {
  return `if this lasts, end it with \`kill -9 ${pid}\`, and \`start\` starts it again`
}

/** Finds a disk on which nothing can be written, whatever its processes report: a full one silences them. */
export function findFullDisk(dir: string, freeBytes: number): string[] {
  return freeBytes < WRITE_BYTES_MIN ? [`the ${nameFullDisk(dir)}`] : []
}

/** Reads whether the disk of the stores is full. */
export function readDiskProblems(paths: Pick<Paths, 'dir'>): string[] {
  return findFullDisk(paths.dir, readFreeDisk(paths))
}

function findStalledWriter({ now, heartbeatAt }: StoreFacts): string | undefined {
  if (heartbeatAt === undefined || now - heartbeatAt <= SILENCE_MAX_MS) return undefined
  const since = formatTime(toIso(heartbeatAt))
  return `the writer has made no progress since ${since}: saves and crawls wait`
}

function findOldSnapshot({ now, snapshotBehindSince: since }: StoreFacts): string | undefined {
  if (since === undefined || now - since <= SNAPSHOT_LAG_MAX_MS) return undefined
  return `lists and search lack what was committed since ${formatTime(toIso(since))}`
}
