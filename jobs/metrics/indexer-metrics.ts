import type { Counter } from 'prom-client'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import { addSpan } from '../../pipeline/core/trace.ts'
import type { BackupStatus, IndexStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import { measureStores } from '../../pipeline/maintenance/inspect/store-sizes.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import type { CommitFacts } from '../../pipeline/writer/log-commit.ts'
import type { Step } from '../../pipeline/writer/sequencer.ts'
import { RoleMetrics } from './role-metrics.ts'

/** Sources of the gauges that are read on each scrape. */
export interface IndexerGauges {
  paths: Paths
  clock: Clock
  busyMs: () => number
  filesInFlight: () => number
  isLogStopped: () => boolean
  /** State of the index as of the last look; undefined before the first. */
  status: () => IndexStatus | undefined
}

/** Counts what the writer does. */
export class IndexerMetrics {
  readonly #role: RoleMetrics
  readonly #seconds
  readonly #steps
  readonly #publishing
  readonly #counters: Record<'observations' | 'submissions' | 'events' | 'quarantined', Counter>
  readonly #stepBegan = new Map<Step, number>()
  #lastCommitS: number | undefined

  constructor(role = new RoleMetrics('indexer')) {
    this.#role = role
    this.#seconds = role.getHistogram('registry_commit_seconds')
    this.#steps = role.getHistogram('registry_commit_step_seconds')
    this.#publishing = role.getHistogram('registry_publish_seconds')
    this.#counters = {
      observations: role.getCounter('registry_observations_total'),
      submissions: role.getCounter('registry_submissions_total'),
      events: role.getCounter('registry_events_total'),
      quarantined: role.getCounter('registry_quarantined_total'),
    }
  }

  noteStep(step: Step, moment: 'before' | 'after'): void {
    if (moment === 'before') {
      this.#stepBegan.set(step, performance.now())
      return
    }
    const began = this.#stepBegan.get(step)
    if (began === undefined) return
    const ms = performance.now() - began
    this.#steps.labels(step).observe(ms / 1_000)
    addSpan(step, ms)
  }

  countCommit(facts: CommitFacts, at: number): void {
    const { observations, submissions, ms } = facts
    const kind = observations > 0 ? 'bulk' : submissions > 0 ? 'submissions' : 'time'
    this.#seconds.labels(kind).observe(ms / 1_000)
    this.#counters.observations.inc(observations)
    this.#counters.submissions.inc(submissions)
    this.#counters.events.inc(facts.events)
    this.#counters.quarantined.inc(facts.quarantined)
    this.#lastCommitS = at / 1_000
  }

  countPublished(ms: number): void {
    this.#publishing.observe(ms / 1_000)
  }

  /** Shows for how long the bucket has lacked something that is published. */
  watchUploads(behindS: () => number): void {
    this.#role.watch('registry_upload_behind_seconds', behindS)
  }

  /** Shows for how long the backups have lacked commits, and whether that is too long. */
  watchBackups(report: () => BackupStatus): void {
    this.#role.watch('registry_backup_behind_seconds', () => report().behind_ms / SECOND)
    this.#role.watch('registry_backup_overdue', () => (report().is_overdue ? 1 : 0))
  }

  /** Shows the state of the indexer from now on. */
  watch({ paths, clock, busyMs, filesInFlight, isLogStopped, status }: IndexerGauges): void {
    const role = this.#role
    role.watch('registry_last_commit_timestamp_seconds', () => {
      const stored = status()?.committed_at
      return this.#lastCommitS ?? (stored ? Date.parse(stored) / 1_000 : 0)
    })
    role.watch('registry_writer_busy_seconds', () => busyMs() / 1_000)
    role.watch('registry_crawl_in_flight_files', filesInFlight)
    role.watch('registry_log_stopped', () => (isLogStopped() ? 1 : 0))
    role.watch('registry_files', () => status()?.files)
    role.watch('registry_due_files', () => status()?.due)
    role.watch('registry_due_age_seconds', () => {
      const known = status()
      if (known === undefined) return undefined
      const since = known.due_since
      return since === null ? 0 : Math.max(0, clock.now() - Date.parse(since)) / 1_000
    })
    role.watchEach('registry_rows', 'of', () => countRows(status()))
    role.watchEach('registry_store_bytes', 'store', () => measureStores(paths))
  }
}

function countRows(status: IndexStatus | undefined): Record<string, number> {
  if (status === undefined) return {}
  const { brands, publishers, properties, authorizations, agents } = status
  return { brands, publishers, properties, authorizations, agents }
}
