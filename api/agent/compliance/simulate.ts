import { z } from 'zod'
import { CallersId } from '../accounts.ts'
import { measurePackage, sumMetrics } from '../media-buys/delivery.ts'
import { sumBudgets } from '../media-buys/describe.ts'
import type { MediaBuy, ReportedDelivery } from '../media-buys/media-buy.ts'
import { saveMediaBuy } from '../media-buys/media-buy-store.ts'
import type { TaskContext } from '../task-context.ts'
import { parseParams, requireBuy } from './force-status.ts'

const count = z.number().int().min(0).max(1e12)

const Delivery = z.looseObject({
  media_buy_id: CallersId,
  impressions: count.default(0),
  clicks: count.default(0),
  reported_spend: z
    .looseObject({ amount: z.number().min(0).max(1e12), currency: z.string().optional() })
    .optional(),
})

/** Adds delivery to a media buy, in equal parts to its packages. */
export function simulateDelivery(params: unknown, context: TaskContext) {
  const { media_buy_id, impressions, clicks, reported_spend } = parseParams(Delivery, params)
  const spend = reported_spend?.amount ?? 0
  const reported = reportDelivery(
    requireBuy(media_buy_id, context),
    { impressions, clicks, spend },
    context,
  )
  return {
    success: true,
    simulated: { impressions, clicks, spend },
    cumulative: sumMetrics(reported.packages.map(bought => measurePackage(bought, 0, context.now))),
  }
}

const Spend = z.looseObject({
  media_buy_id: CallersId,
  spend_percentage: z.number().min(0).max(1000),
})

/** Raises the spending of a media buy to a share of its budget; higher spending stays. */
export function simulateBudgetSpend(params: unknown, context: TaskContext) {
  const { media_buy_id, spend_percentage } = parseParams(Spend, params)
  const buy = requireBuy(media_buy_id, context)
  const budget = sumBudgets(buy)
  const wanted = (budget * spend_percentage) / 100
  const spent = sumMetrics(buy.packages.map(bought => measurePackage(bought, 0, context.now))).spend
  const spend = Math.max(0, wanted - spent)
  reportDelivery(buy, { impressions: 0, clicks: 0, spend }, context)
  const { currency } = buy
  return {
    success: true,
    simulated: {
      spend_percentage,
      computed_spend: { amount: spent + spend, currency },
      budget: { amount: budget, currency },
    },
  }
}

function reportDelivery(
  buy: MediaBuy,
  { impressions, clicks, spend }: Omit<ReportedDelivery, 'at'>,
  context: TaskContext,
): MediaBuy {
  const { now } = context
  const parts = buy.packages.length
  // The remainder goes to the first package.
  const divide = (sum: number, at: number) => Math.floor(sum / parts) + (at === 0 ? sum % parts : 0)
  const packages = buy.packages.map((bought, at) => {
    const part: ReportedDelivery = {
      at: now,
      impressions: divide(impressions, at),
      clicks: divide(clicks, at),
      spend: spend / parts,
    }
    return { ...bought, reported: [...(bought.reported ?? []), part] }
  })
  const reported = { ...buy, packages }
  saveMediaBuy(reported, context)
  return reported
}
