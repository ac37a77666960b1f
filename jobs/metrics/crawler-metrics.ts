import type { Counter } from 'prom-client'
import {
  type FetchMeter,
  type RateName,
  type RefusalReason,
  rateNames,
  refusalReasons,
} from '../../pipeline/fetch/fetch-meter.ts'
import type { Observation } from '../../pipeline/model/observation.ts'
import { RoleMetrics } from './role-metrics.ts'

/** Measures the requests of a fetcher. */
export function createFetchMeter(role: RoleMetrics): FetchMeter {
  const exchanges = role.getHistogram('registry_fetch_seconds')
  const names = role.getHistogram('registry_name_lookup_seconds')
  const refusals = role.getCounter('registry_requests_refused_total')
  const limits = role.getCounter('registry_limits_hit_total')
  // From zero, so that the first one is an increase.
  for (const reason of refusalReasons) refusals.labels(reason).inc(0)
  for (const rate of rateNames) limits.labels(rate).inc(0)
  const byResult = { answered: exchanges.labels('answered'), broken: exchanges.labels('broken') }
  const byAnswer = {
    found: names.labels('found'),
    refused: names.labels('refused'),
    failed: names.labels('failed'),
  }
  return {
    countExchange: (result, ms) => byResult[result].observe(ms / 1_000),
    countNameLookup: (result, ms) => byAnswer[result].observe(ms / 1_000),
    countRefusal: (reason: RefusalReason) => refusals.labels(reason).inc(),
    countLimit: (limit: RateName) => limits.labels(limit).inc(),
  }
}

/** Counts what a crawler does. */
export class CrawlerMetrics {
  readonly fetch: FetchMeter
  readonly #files
  readonly #liveRequests
  readonly #tooLarge
  /** Counters by kind and outcome: finding one by its labels costs more than counting. */
  readonly #byKind: Record<string, Record<string, Counter.Internal>> = {}

  constructor(role = new RoleMetrics('crawler')) {
    this.fetch = createFetchMeter(role)
    this.#files = role.getCounter('registry_files_crawled_total')
    this.#liveRequests = role.getCounter('registry_live_requests_total')
    this.#tooLarge = role.getCounter('registry_limits_hit_total').labels('body')
    this.#tooLarge.inc(0)
  }

  countFile({ kind, outcome }: Pick<Observation, 'kind' | 'outcome'>): void {
    this.#byKind[kind] ??= {}
    const byOutcome = this.#byKind[kind]
    byOutcome[outcome] ??= this.#files.labels(kind, outcome)
    byOutcome[outcome].inc()
    if (outcome === 'too_large') this.#tooLarge.inc()
  }

  countLiveRequest(request: string, result: 'done' | 'failed'): void {
    this.#liveRequests.labels(request, result).inc()
  }
}
