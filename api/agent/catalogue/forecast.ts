import type { Product } from './products.ts'

/** Budgets for which an auction is forecast. */
const BUDGETS = [5_000, 25_000]

/** Days of delivery that a reservation is forecast for. */
const DAYS = 30

/** People reached per impression, if nobody sees it more than once. */
const REACH_SHARE = 0.65

/** Builds a range around a number; `low` and `high` are factors of it. */
const buildRange = (mid: number, low: number, high: number) => ({
  low: Math.round(mid * low),
  mid: Math.round(mid),
  high: Math.round(mid * high),
})

/** Forecasts the delivery of a product: the impressions left to reserve, or what a budget buys. */
export function buildForecast({ publisher, offer }: Product): Record<string, unknown> {
  if (offer.delivery === 'guaranteed') {
    const available = (publisher.dailyImpressions * DAYS) / publisher.offers.length
    return {
      method: 'guaranteed',
      currency: offer.currency,
      forecast_range_unit: 'availability',
      points: [{ metrics: { impressions: buildRange(available, 0.85, 1.1) } }],
    }
  }
  return {
    method: 'modeled',
    currency: offer.currency,
    forecast_range_unit: 'spend',
    points: BUDGETS.map(budget => {
      const impressions = (budget / offer.cpm) * 1000
      return {
        budget,
        metrics: {
          impressions: buildRange(impressions, 0.85, 1.1),
          reach: buildRange(impressions * REACH_SHARE, 0.85, 1.1),
        },
      }
    }),
  }
}
