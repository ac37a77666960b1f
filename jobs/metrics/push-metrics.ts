import type { FetchMeter } from '../../pipeline/fetch/fetch-meter.ts'
import { createFetchMeter } from './crawler-metrics.ts'
import { RoleMetrics } from './role-metrics.ts'

/** Counts deliveries of changes. */
export class PushMetrics {
  readonly fetch: FetchMeter
  readonly #deliveries
  readonly #seconds

  /** Creates the metrics; `isActive` tells whether this process delivers. */
  constructor(role = new RoleMetrics('push'), isActive: () => boolean = () => false) {
    this.fetch = createFetchMeter(role)
    this.#deliveries = role.getCounter('registry_deliveries_total')
    this.#seconds = role.getHistogram('registry_delivery_seconds')
    role.watch('registry_push_active', () => (isActive() ? 1 : 0))
  }

  countAttempt(result: 'taken' | 'deferred' | 'failed' | 'gone', ms: number): void {
    this.#deliveries.labels(result).inc()
    if (result !== 'deferred') this.#seconds.observe(ms / 1_000)
  }
}
