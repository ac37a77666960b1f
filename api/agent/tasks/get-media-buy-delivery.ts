import { z } from 'zod'
import { type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { AccountRef, CallersId, resolveAccount } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import {
  findPacing,
  listDays,
  type Metrics,
  measurePackage,
  sumMetrics,
} from '../media-buys/delivery.ts'
import { findRate } from '../media-buys/delivery-plan.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import { listMediaBuys, resolveMediaBuy } from '../media-buys/media-buy-store.ts'
import { findStatus, StatusFilter, toStatuses } from '../media-buys/status.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Day = z.iso.date().describe('A day in UTC')

const Input = z.object({
  account: AccountRef.optional(),
  media_buy_ids: z.array(CallersId).min(1).max(100).optional(),
  status_filter: StatusFilter.optional(),
  start_date: Day.optional().describe('First day; by default the first of the flights'),
  end_date: Day.optional().describe('The day after the last one; by default today'),
  include_package_daily_breakdown: z.boolean().optional(),
})

type Request = z.output<typeof Input>

interface Span {
  from: Instant
  until: Instant
}

export const getMediaBuyDelivery = defineTask({
  name: 'get_media_buy_delivery',
  title: 'Report delivery',
  description: 'Reports the delivery of media buys in a period. Delivery here is simulated',
  input: Input,
  run(request, context) {
    const buys = findBuys(request, context)
    const span = findSpan(request, buys, context.now)
    const deliveries = buys.map(buy => describeDelivery(buy, span, request, context))
    const totals = sumMetrics(deliveries.map(({ totals }) => totals))
    const currency = buys[0]?.currency ?? 'USD'
    return {
      reporting_period: { start: toIso(span.from), end: toIso(span.until) },
      currency,
      media_buy_deliveries: deliveries,
      aggregated_totals: {
        impressions: totals.impressions,
        spend: totals.spend,
        clicks: totals.clicks,
        media_buy_count: buys.length,
      },
      impressions: totals.impressions,
      clicks: totals.clicks,
      spend: { amount: totals.spend, currency },
      by_package: deliveries.flatMap(({ by_package }) => by_package),
      sandbox: true,
    }
  },
})

/** Finds the buys that a report is about. Buys in another currency than the first one belong in another report. */
function findBuys({ account, media_buy_ids, status_filter }: Request, context: TaskContext) {
  const named = media_buy_ids?.map(id => resolveMediaBuy(id, context))
  const wanted = toStatuses(status_filter, named ? undefined : ['active'])
  const accountId = account && resolveAccount(account, context).account_id
  const found = (named ?? listMediaBuys(accountId, context)).filter(
    buy => !wanted || wanted.includes(findStatus(buy, context.now)),
  )
  return found.filter(({ currency }) => currency === getFirst(found).currency)
}

function findSpan({ start_date, end_date }: Request, buys: MediaBuy[], now: Instant): Span {
  const first = Math.min(...buys.map(({ createdAt }) => createdAt), now)
  const from = start_date === undefined ? first : Date.parse(start_date)
  const until = Math.min(now, end_date === undefined ? now : Date.parse(end_date))
  if (start_date === undefined || end_date === undefined || start_date < end_date) {
    return { from, until: Math.max(from, until) }
  }
  throw new TaskError('INVALID_REQUEST', 'end_date: must be later than start_date', {
    field: 'end_date',
  })
}

function describeDelivery(
  buy: MediaBuy,
  { from, until }: Span,
  { include_package_daily_breakdown }: Request,
  { now }: TaskContext,
) {
  const by_package = buy.packages.map(pkg => ({
    package_id: pkg.package_id,
    ...measurePackage(pkg, from, until),
    pricing_model: 'cpm',
    rate: findRate(pkg),
    currency: buy.currency,
    pacing_index: findPacing(pkg, buy, now),
    paused: pkg.isPaused || buy.isPaused,
    ...(include_package_daily_breakdown && { daily_breakdown: listDays(pkg, from, until) }),
  }))
  const totals: Metrics = sumMetrics(by_package)
  return { media_buy_id: buy.media_buy_id, status: findStatus(buy, now), totals, by_package }
}
