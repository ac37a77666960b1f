import type { ProcessReport } from '../../jobs/metrics/messages.ts'
import type { MetricName } from '../../jobs/metrics/table.ts'
import { formatTime, type Instant, SECOND, toIso } from '../../pipeline/core/clock.ts'
import {
  describeFrozenProcess,
  describeUnreadableCredentials,
  findStoreProblems,
  nameRole,
  readHeartbeat,
  readReplicaProblems,
  UPLOAD_LAG_MAX_MS,
} from '../../pipeline/read/health.ts'
import type { Paths } from '../../pipeline/store/paths.ts'

/** Ends a sentence that leaves the details to `status`, which has them from the indexer. */
export const STATUS_SAYS_WHY = '`registry status` says why'

/** Finds processes that do not answer, and problems of the stores that the others report. */
export function findReportedProblems(
  reports: readonly ProcessReport[],
  paths: Paths,
  now: Instant,
): string[] {
  const silent = reports
    .filter(({ values, isStarting }) => values === undefined && !isStarting)
    .map(({ role, pid }) =>
      pid === undefined
        ? `the ${nameRole(role)} does not answer`
        : describeFrozenProcess(role, pid),
    )
  const behindS = findMaximum(reports, 'registry_snapshot_behind_seconds')
  const snapshotBehindSince = behindS > 0 ? now - behindS * SECOND : undefined
  return [
    ...new Set(silent),
    ...(findMaximum(reports, 'registry_log_stopped') > 0
      ? [`the log of events is not continued: ${STATUS_SAYS_WHY}`]
      : []),
    ...findStoreProblems({ now, heartbeatAt: readHeartbeat(paths), snapshotBehindSince }),
    ...readReplicaProblems(paths, now),
  ]
}

/** Finds what needs attention although all processes do their work, as sentences. */
export function findReportedNotes(reports: readonly ProcessReport[]): string[] {
  const unreadable = findMaximum(reports, 'registry_unreadable_credentials')
  return [describeUnreadableCredentials(unreadable)].filter(note => note !== undefined)
}

/** Finds that the copies of the registry elsewhere are old, the published files and the backup; it answers all the same. */
export function findCopyProblems(reports: readonly ProcessReport[], now: Instant): string[] {
  const uploadMs = findMaximum(reports, 'registry_upload_behind_seconds') * SECOND
  const since = formatTime(toIso(now - uploadMs))
  return [
    ...(uploadMs > UPLOAD_LAG_MAX_MS
      ? [`the bucket of PUBLISH_TO lacks what was published since ${since}: ${STATUS_SAYS_WHY}`]
      : []),
    ...(findMaximum(reports, 'registry_backup_overdue') > 0
      ? [`the backup in BACKUP_TO is overdue: ${STATUS_SAYS_WHY}`]
      : []),
  ]
}

/** Finds the highest value of a metric without labels; 0 where no process has it. */
function findMaximum(reports: readonly ProcessReport[], name: MetricName): number {
  const values = reports.flatMap(report =>
    (report.values ?? [])
      .filter(metric => metric.name === name)
      .flatMap(metric => metric.values.map(({ value }) => value)),
  )
  return Math.max(0, ...values)
}
