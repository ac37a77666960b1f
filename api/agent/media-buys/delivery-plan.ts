import { createHash } from 'node:crypto'
import type { Instant } from '../../../pipeline/core/clock.ts'
import type { MediaBuy, Package, Period } from './media-buy.ts'

/** Share of the budget that the worst auction spends. */
const FILL_MIN = 0.85

/** Lowest and highest clicks per impression. */
const CLICK_RATE = { minimum: 0.0008, maximum: 0.004 }

/**
 * Plans the spending of each package from now on: past spending stays, and the rest of the budget is spread
 * evenly until the end of the flight, unless the package is paused or otherwise held.
 */
export function planDelivery(buy: MediaBuy, now: Instant): MediaBuy {
  const packages = buy.packages.map(pkg => ({ ...pkg, periods: planPackage(pkg, buy, now) }))
  return { ...buy, packages }
}

function planPackage(pkg: Package, buy: MediaBuy, now: Instant): Period[] {
  const past = pkg.periods.filter(({ from }) => from < now).map(period => cutPeriod(period, now))
  const from = Math.max(now, pkg.start ?? buy.start)
  const until = Math.min(pkg.end ?? buy.end, buy.end)
  const isHeld =
    buy.isPaused ||
    pkg.isPaused ||
    buy.cancellation !== undefined ||
    buy.rejection !== undefined ||
    pkg.cancellation !== undefined ||
    buy.readyAt === undefined ||
    pkg.creative_assignments.length === 0
  const left = pkg.budget * findFill(pkg) - sumSpend(past, 0, now)
  return isHeld || from >= until || left <= 0 ? past : [...past, { from, until, spend: left }]
}

/** Cuts a period off at a time, with its share of the spending. */
function cutPeriod({ from, until, spend }: Period, at: Instant): Period {
  if (until <= at) return { from, until, spend }
  return { from, until: at, spend: (spend * (at - from)) / (until - from) }
}

/** Sums the spending from one time to another. */
export function sumSpend(periods: readonly Period[], from: Instant, until: Instant): number {
  return periods.reduce((sum, period) => {
    const shared = Math.min(until, period.until) - Math.max(from, period.from)
    return sum + (period.spend * Math.max(0, shared)) / (period.until - period.from)
  }, 0)
}

/** Finds the share of the budget that is spent in the end: all of it where delivery is guaranteed. */
function findFill(pkg: Package): number {
  return pkg.terms.isGuaranteed
    ? 1
    : FILL_MIN + (1 - FILL_MIN) * findShare(`fill ${pkg.package_id}`)
}

/** Finds the price of a thousand impressions of a package. */
export function findRate(pkg: Package): number {
  const { cpm } = pkg.terms
  return pkg.bid_price === undefined ? cpm : Math.max(cpm, pkg.bid_price)
}

/** Finds the clicks per impression of a package, which never change. */
export function findClickRate(pkg: Package): number {
  const { minimum, maximum } = CLICK_RATE
  return minimum + (maximum - minimum) * findShare(`clicks ${pkg.package_id}`)
}

/** Derives a number from 0 to 1 from a text. */
function findShare(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}
