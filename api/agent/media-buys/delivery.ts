import { DAY, type Instant, toDay, toIso } from '../../../pipeline/core/clock.ts'
import { findClickRate, findRate, sumSpend } from './delivery-plan.ts'
import type { MediaBuy, Package } from './media-buy.ts'

/** Delivery of one or several packages in a period; `spend` in the currency of the buy, `ctr` is clicks per impression. */
export interface Metrics {
  impressions: number
  spend: number
  clicks: number
  ctr: number
}

/** Days of a report that are listed one by one; later ones are only in the sum. */
const DAYS_MAX = 400

const toCents = (amount: number) => Math.round(amount * 100) / 100

/**
 * Measures the delivery of a package from one time to another: what its plan spends by then, and what a test
 * reported on top of it.
 */
export function measurePackage(pkg: Package, from: Instant, until: Instant): Metrics {
  const spend = sumSpend(pkg.periods, from, until)
  const impressions = Math.floor((spend / findRate(pkg)) * 1000)
  const clicks = Math.floor(impressions * findClickRate(pkg))
  const reported = (pkg.reported ?? []).filter(({ at }) => from <= at && at <= until)
  const sum = (name: 'impressions' | 'clicks' | 'spend', planned: number) =>
    reported.reduce((total, delivery) => total + delivery[name], planned)
  return toMetrics(
    sum('impressions', impressions),
    toCents(sum('spend', spend)),
    sum('clicks', clicks),
  )
}

/** Sums deliveries up; the rate of clicks is that of the sums. */
export function sumMetrics(all: readonly Metrics[]): Metrics {
  const sum = (name: keyof Metrics) => all.reduce((total, metrics) => total + metrics[name], 0)
  return toMetrics(sum('impressions'), toCents(sum('spend')), sum('clicks'))
}

function toMetrics(impressions: number, spend: number, clicks: number): Metrics {
  return { impressions, spend, clicks, ctr: impressions > 0 ? clicks / impressions : 0 }
}

/** Lists the delivery day by day in UTC. The days add up to the whole, except for rounding. */
export function listDays(
  pkg: Package,
  from: Instant,
  until: Instant,
): Array<{ date: string; impressions: number; spend: number; clicks: number }> {
  const first = Math.floor(from / DAY) * DAY
  const count = Math.min(DAYS_MAX, Math.max(0, Math.ceil((until - first) / DAY)))
  return Array.from({ length: count }, (_, at) => {
    const start = first + at * DAY
    const { impressions, spend, clicks } = measurePackage(
      pkg,
      Math.max(from, start),
      Math.min(until, start + DAY),
    )
    return { date: toDay(start), impressions, spend, clicks }
  })
}

/** Finds the share of the planned spending until now that was spent: 1 when the buy is on track. */
export function findPacing(pkg: Package, buy: MediaBuy, now: Instant): number {
  const start = pkg.start ?? buy.start
  const end = pkg.end ?? buy.end
  const elapsed = Math.min(1, (now - start) / (end - start))
  if (elapsed <= 0 || pkg.budget === 0) return 0
  return Math.round((sumSpend(pkg.periods, 0, now) / (pkg.budget * elapsed)) * 100) / 100
}

/** Describes the delivery of a package from its beginning until now. */
export function describeSnapshot(
  buy: MediaBuy,
  pkg: Package,
  now: Instant,
): Record<string, unknown> {
  const { impressions, spend, clicks } = measurePackage(pkg, 0, now)
  const isDelivering = pkg.periods.some(({ from, until }) => from <= now && now < until)
  const hasEnded = now >= (pkg.end ?? buy.end)
  return {
    as_of: toIso(now),
    staleness_seconds: 0,
    impressions,
    spend,
    clicks,
    currency: buy.currency,
    pacing_index: findPacing(pkg, buy, now),
    delivery_status: hasEnded ? 'flight_ended' : isDelivering ? 'delivering' : 'not_delivering',
  }
}
