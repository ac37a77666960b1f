import { type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { formats } from '../catalogue/formats.ts'
import type { TaskContext } from '../task-context.ts'
import { toFormatId } from '../tasks/format-id.ts'
import type { Cancellation, MediaBuy, Package } from './media-buy.ts'
import { findStatus, listValidActions } from './status.ts'

/** Status, revision and what may be done now. `status` is that of the buy, under both of its names. */
export function describeState(buy: MediaBuy, now: Instant): Record<string, unknown> {
  const status = findStatus(buy, now)
  return {
    status,
    media_buy_status: status,
    revision: buy.revision,
    valid_actions: listValidActions(buy, now),
    ...(buy.cancellation && describeCancellation(buy.cancellation)),
  }
}

/** A package as it was bought. */
export function describePackage(one: Package, context: TaskContext): Record<string, unknown> {
  const missing = one.creative_assignments.length === 0 && !one.cancellation
  const wanted = one.terms.formats
  const named = [...one.creative_assignments, ...(one.awaited ?? [])]
  return {
    package_id: one.package_id,
    product_id: one.product_id,
    pricing_option_id: one.pricing_option_id,
    budget: one.budget,
    ...(one.bid_price !== undefined && { bid_price: one.bid_price }),
    ...one.shown,
    ...(one.start !== undefined && { start_time: toIso(one.start) }),
    ...(one.end !== undefined && { end_time: toIso(one.end) }),
    ...(named.length > 0 && { creative_assignments: named }),
    ...(missing && {
      format_ids_to_provide: formats
        .filter(({ id }) => wanted.includes(id))
        .map(({ id }) => toFormatId(id, context)),
    }),
    paused: one.isPaused,
    canceled: one.cancellation !== undefined,
    ...(one.cancellation && { cancellation: describeCancellation(one.cancellation) }),
  }
}

export function describeCancellation({ at, reason }: Cancellation): Record<string, unknown> {
  return { canceled_at: toIso(at), canceled_by: 'buyer', ...(reason && { reason }) }
}

export function sumBudgets({ packages }: MediaBuy): number {
  return packages.reduce((sum, { budget }) => sum + budget, 0)
}
