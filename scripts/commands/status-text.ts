import type { QueueStatus } from '../../jobs/api-client/queue-status.ts'
import { formatTime } from '../../pipeline/core/clock.ts'
import { countThings, formatBytes, formatCount } from '../../pipeline/core/counts.ts'
import { type Effect, resultsByEffect } from '../../pipeline/core/outcomes.ts'
import type { BackupStatus, IndexStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import {
  describeFrozenProcess,
  findFullDisk,
  UPLOAD_LAG_MAX_MS,
} from '../../pipeline/read/health.ts'
import { formatAgo, formatDuration, formatResults, formatTotals } from './text.ts'

/** The state of a registry as one screen shows it. Moments are ISO 8601, sizes bytes. */
export interface RegistryStatus {
  data_dir: string
  /** True for the demo, of which all domains are invented. */
  is_demo: boolean
  /** The running registry, and the process whose end ends it; null where none runs. */
  running: {
    base_url: string
    since: string
    pid: number
    indexer_pid: number
    /** Null where an earlier version runs, which does not tell it. */
    version: string | null
  } | null
  /** True while a `start` runs here, even if its indexer does not. */
  has_start: boolean
  /** True where `start` may not have started all roles yet: it starts the crawler after the indexer. */
  is_starting: boolean
  /** Source of the state of the index: the indexer, or the record where none answers. */
  source: 'indexer' | 'record' | null
  index: IndexStatus | null
  /** The published snapshot; null before the first. */
  snapshot: { seq: number; made_at: string | null } | null
  /** True while a process delivers changes to subscribers. */
  has_push: boolean
  /** Null where Redis does not answer or no registry runs. */
  queues: QueueStatus[] | null
  /** Problems of the running `start` for which its `/readyz` answers 503. */
  supervisor_problems: string[]
  /** Requirements that Redis does not meet, as sentences: those that the running `start` names, where one runs. */
  redis_problems: string[]
  stores: { name: string; bytes: number }[]
  disk_free: number
  /** Files that should be there and are not, below the data folder. */
  missing: string[]
  /** Sentences on what needs attention although the registry does its work. */
  notes: string[]
  /** Sentences on what an operator should look at. */
  problems: string[]
}

const HOUR_MS = 3_600_000
/** A due file that waits longer shows that the crawlers do not keep up. */
const BACKLOG_MS = HOUR_MS
/** A registry with files makes attempts every night. */
const IDLE_MS = 26 * HOUR_MS
/** A snapshot is made every quarter of an hour at the latest while there are commits. */
const SNAPSHOT_MS = HOUR_MS
const FREE_DISK_MIN = 1_000_000_000
const REDIS_AWAY = 'Redis does not answer'

type Running = NonNullable<RegistryStatus['running']>
type Facts = Omit<RegistryStatus, 'problems'>

/** Finds what an operator should look at. */
export function findProblems(facts: Facts, now: number): string[] {
  const problems = [
    // What else a full disk causes says less.
    ...findFullDisk(facts.data_dir, facts.disk_free),
    ...findRoleProblems(facts),
    ...facts.supervisor_problems,
    ...findCrawlProblems(facts, now),
    ...findStoreProblems(facts, now),
  ]
  // What `start` says in short is said once.
  const isLonger = (short: string) => problems.some(problem => problem.startsWith(`${short}:`))
  return [...new Set(problems.filter(problem => !isLonger(problem)))]
}

function* findRoleProblems(facts: Facts): Generator<string> {
  const { running, is_starting, source, queues, redis_problems, supervisor_problems } = facts
  if (running === null) {
    yield facts.has_start
      ? 'the indexer is not running: the log of `start` says why'
      : 'no registry is running here'
    return
  }
  // A running `start` says it as well, with what follows.
  const isReported = supervisor_problems.some(problem => problem.startsWith(REDIS_AWAY))
  if (queues === null) yield* isReported ? [] : [REDIS_AWAY]
  // One that waits for room must not be killed.
  else if (source !== 'indexer' && findFullDisk(facts.data_dir, facts.disk_free).length === 0)
    yield describeFrozenProcess('indexer', running.indexer_pid)
  yield* redis_problems
  if (!is_starting && isCrawlerMissing(queues)) yield 'no crawler is running'
  for (const { name, failed } of queues ?? []) {
    if (failed > 0)
      yield `${countThings(failed, 'job')} of the queue ${name} failed in the last 24 hours: the work is repeated when it is next due, and the log says why`
  }
}

function isCrawlerMissing(queues: Facts['queues']): boolean {
  return queues?.some(({ name, workers }) => name === 'crawl' && workers === 0) ?? false
}

function* findCrawlProblems({ index }: Facts, now: number): Generator<string> {
  if (index === null) return
  const { due, due_since, last_attempt_at, files, held, quarantined, log_problem } = index
  if (due_since !== null && now - Date.parse(due_since) > BACKLOG_MS) {
    yield `${countThings(due, 'file is', 'files are')} due, the first for ${formatDuration(now - Date.parse(due_since))}`
  }
  if (files > 0 && last_attempt_at !== null && now - Date.parse(last_attempt_at) > IDLE_MS) {
    yield `no file has been crawled for ${formatDuration(now - Date.parse(last_attempt_at))}`
  }
  if (held > 0)
    yield `removals of ${countThings(held, 'publisher')} are held back: \`registry held list\``
  if (log_problem !== undefined) yield `the log of events is not continued: ${log_problem}`
  yield* findCopyProblems(index)
  yield* findWaitingLog(index)
  if (quarantined > 0)
    yield `${countThings(quarantined, 'observation')} could not be applied within a week`
}

function* findCopyProblems({ upload, backup }: IndexStatus): Generator<string> {
  if (upload !== undefined && upload.behind_ms > UPLOAD_LAG_MAX_MS) {
    const why = upload.problem === undefined ? '' : `: ${upload.problem}`
    yield `${upload.bucket} lacks what was published in the last ${formatDuration(upload.behind_ms)}${why}`
  }
  if (backup?.is_overdue) yield describeOverdue(backup)
  else if (backup?.problem !== undefined)
    yield `the last backup to ${backup.bucket} failed: ${backup.problem}; fix this, and the indexer tries again by itself`
}

function* findWaitingLog({ backup, log_waits_for: why }: IndexStatus): Generator<string> {
  if (why === undefined) return
  const reason = backup?.problem === undefined ? `: ${why}` : ''
  yield `new events wait to be logged until BACKUP_TO can be written${reason}`
}

function describeOverdue({ bucket, made_at, behind_ms, problem }: BackupStatus): string {
  const lacking =
    made_at === null
      ? `no backup has been made in ${bucket} since this start`
      : `${bucket} has no backup of the last ${formatDuration(behind_ms)}`
  return problem === undefined
    ? `${lacking}: the one in progress hangs, so check that BACKUP_TO can be reached`
    : `${lacking}: ${problem}; fix this, and the indexer tries again by itself`
}

function* findStoreProblems(
  { index, snapshot, data_dir, disk_free, missing }: Facts,
  now: number,
): Generator<string> {
  for (const file of missing) yield `${file} is missing: the next start rebuilds it`
  if (index !== null && snapshot !== null && snapshot.made_at !== null) {
    const age = now - Date.parse(snapshot.made_at)
    const commits = index.seq - snapshot.seq
    if (commits > 0 && age > SNAPSHOT_MS) {
      yield `the snapshot is ${countThings(commits, 'commit')} behind, made ${formatDuration(age)} ago`
    }
  }
  if (disk_free < FREE_DISK_MIN && findFullDisk(data_dir, disk_free).length === 0)
    yield `${formatBytes(disk_free)} are free on the disk of DATA_DIR: free some space before saves are rejected`
}

/** Describes the state in lines, the problems last. */
export function describeStatus(status: RegistryStatus, now: number): string[] {
  const { running, index, snapshot, queues, problems } = status
  const line = (name: string, text: string) => `${name.padEnd(10)} ${text}`
  return [
    line(status.is_demo ? 'demo' : 'registry', describeState(status)),
    line('data', status.data_dir),
    ...(index === null
      ? [line('index', 'nothing has been committed yet')]
      : describeIndex(status, now)),
    ...(snapshot
      ? [
          line(
            'snapshot',
            `commit ${snapshot.seq}${snapshot.made_at ? `, ${formatAgo(snapshot.made_at, now)}` : ''}`,
          ),
        ]
      : []),
    ...(queues ?? []).map(({ name, waiting, active, failed, workers }) =>
      line(
        'queue',
        `${name.padEnd(12)} ${waiting} waiting, ${active} active, ${failed} failed` +
          (workers === null ? '' : `, ${countThings(workers, 'worker')}`),
      ),
    ),
    ...(status.source === 'indexer' && index !== null
      ? [line('backup', describeBackup(index.backup, now))]
      : []),
    ...(running ? [line('push', status.has_push ? 'running' : 'not running')] : []),
    line('disk', describeDisk(status)),
    ...(problems.length === 0
      ? [
          '',
          isCrawlerMissing(queues)
            ? 'no problems found; the crawler is starting'
            : 'no problems found',
        ]
      : ['', ...problems.map(text => `! ${text}`)]),
    ...status.notes.map(text => `note: ${text}`),
  ]
}

function describeState({ running, has_start }: RegistryStatus): string {
  if (running) return describeRunning(running)
  return has_start ? 'running without its indexer' : 'stopped'
}

/** Describes the size of each store, and the room that is left. */
export function describeDisk({
  stores,
  disk_free,
}: Pick<RegistryStatus, 'stores' | 'disk_free'>): string {
  const sizes = stores.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`)
  return [...sizes, `free ${formatBytes(disk_free)}`].join(', ')
}

function describeBackup(backup: BackupStatus | undefined, now: number): string {
  if (backup === undefined) return 'none: BACKUP_TO is not set'
  const { made_at, bucket } = backup
  return made_at === null
    ? `none since this start, to ${bucket}`
    : `${formatAgo(made_at, now)}, in ${bucket}`
}

function describeRunning({ base_url, since, pid, version }: Running): string {
  const which = version === null ? '' : `version ${version}, `
  return `${base_url} since ${formatTime(since)} (${which}process ${pid})`
}

function describeIndex({ index }: RegistryStatus, now: number): string[] {
  if (index === null) return []
  const line = (name: string, text: string) => `${name.padEnd(10)} ${text}`
  const committed =
    index.committed_at === null
      ? 'nothing has been committed yet'
      : `commit ${index.seq}, ${formatAgo(index.committed_at, now)}`
  const attempts = formatResults(
    index.day.map(({ effect, files }) => ({ result: resultsByEffect[effect as Effect], files })),
  )
  const next = index.next_due_at === null ? '' : `, next ${formatTime(index.next_due_at)}`
  return [
    line('index', committed),
    line('holds', formatTotals(index)),
    line(
      'crawl',
      `${countThings(index.files, 'known file or agent', 'known files and agents')}, ${formatCount(index.due)} due${next}`,
    ),
    line('last day', attempts === '' ? 'no attempts' : attempts),
    ...(index.night
      ? [
          line(
            'last night',
            index.night.losses === 0
              ? 'no removals'
              : `${countThings(index.night.losses, 'removal')} at ${countThings(index.night.publishers, 'publisher')}, ${index.night.taken} applied`,
          ),
        ]
      : []),
  ]
}
