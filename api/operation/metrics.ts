import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import type { Times } from '../../jobs/metrics/time-histogram.ts'
import { SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { publicErrors } from '../../pipeline/core/errors.ts'
import { LatestValue } from '../../pipeline/read/cache/latest-value.ts'
import {
  countUnreadableCredentials,
  findLastCredentialChange,
} from '../../pipeline/read/lookups/agent-tests.ts'
import { countHeld } from '../../pipeline/read/queries/counts.ts'
import type { Reader } from '../../pipeline/read/reader.ts'

const UNKNOWN = 'unknown'

/** Measures one operation: each answer adds to plain numbers, which are read on a scrape. */
export class Meter {
  readonly #times: Times
  readonly #onLimit: (limit: string) => void
  /** Answers by status. */
  readonly counts: number[] = []

  constructor(times: Times, onLimit: (limit: string) => void) {
    this.#times = times
    this.#onLimit = onLimit
  }

  count(status: number): void {
    this.counts[status] = (this.counts[status] ?? 0) + 1
    const limit = limitStatuses[status]
    if (limit !== undefined) this.#onLimit(limit)
  }

  /** Records how long it took to build an answer, after its request was checked. */
  time(ms: number): void {
    this.#times.add(ms / 1_000)
  }
}

/** Statuses by which a limit refuses a request. */
const limitStatuses: Record<number, string> = {
  [publicErrors.rate_limited.status]: 'requests',
  [publicErrors.too_large.status]: 'request_body',
}

/** Counts responses by operation and status. Labels are ids of operations, never text from callers. */
export class Metrics {
  readonly #role: RoleMetrics
  readonly #seconds
  readonly #limits
  readonly #meters = new Map<string, Meter>()

  constructor(
    reader: Reader,
    { CREDENTIALS_KEY: credentialsKey }: Pick<Config, 'CREDENTIALS_KEY'>,
    role = new RoleMetrics('api'),
  ) {
    this.#role = role
    this.#seconds = role.createTimeHistogram('registry_request_seconds')
    role.watchCounts('registry_requests_total', () => this.#listCounts())
    this.#limits = role.getCounter('registry_limits_hit_total')
    // Starts at zero, so that the first one is an increase.
    for (const limit of [...Object.values(limitStatuses), 'connections']) {
      this.#limits.labels(limit).inc(0)
    }
    role.watch('registry_seq', () => reader.serving?.seq ?? 0)
    role.watch('registry_snapshot_seq', () => reader.snapshot?.seq ?? 0)
    role.watch('registry_snapshot_timestamp_seconds', () => (reader.snapshotMadeAt ?? 0) / 1_000)
    role.watch('registry_snapshot_behind_seconds', () => {
      const { snapshotBehindSince: since } = reader
      return since === undefined ? 0 : (reader.now() - since) / 1_000
    })
    const startedAt = reader.now()
    role.watch('registry_replica_lag_seconds', () => {
      const { replica, replicaLagMs } = reader
      if (replica === undefined) return undefined
      const lagMs = Number.isFinite(replicaLagMs) ? replicaLagMs : reader.now() - startedAt
      return lagMs / SECOND
    })
    const unreadable = new LatestValue<number>()
    role.watch('registry_unreadable_credentials', () =>
      reader.replica
        ? undefined
        : unreadable.get([findLastCredentialChange(reader)], () =>
            countUnreadableCredentials(reader, credentialsKey),
          ),
    )
    role.watch('registry_held_publishers', () => (reader.snapshot ? countHeld(reader.snapshot) : 0))
  }

  findMeter(operation: string = UNKNOWN): Meter {
    const known = this.#meters.get(operation)
    if (known) return known
    const meter = new Meter(this.#seconds.findTimes(operation), limit => this.countLimit(limit))
    this.#meters.set(operation, meter)
    return meter
  }

  *#listCounts(): Iterable<[labels: Record<string, string>, count: number]> {
    for (const [operation, { counts }] of this.#meters) {
      for (const [status, count] of Object.entries(counts)) yield [{ operation, status }, count]
    }
  }

  /** Counts that a limit refused something; `limit` is a value of the label in the table. */
  countLimit(limit: string): void {
    this.#limits.labels(limit).inc()
  }

  /** Reports a current number on each scrape. */
  watch(
    name: 'registry_feed_streams' | 'registry_page_streams' | 'registry_connections',
    count: () => number,
  ): void {
    this.#role.watch(name, count)
  }
}
