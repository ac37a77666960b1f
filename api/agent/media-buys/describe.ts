import { type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { formats } from '../catalogue/formats.ts'
import type { TaskContext } from '../task-context.ts'
import { toFormatId } from '../tasks/format-id.ts'
import type { Cancellation, MediaBuy, Package } from './media-buy.ts'
import { findStatus, listValidActions } from './status.ts'

/**
 * Describes the status, the revision and the valid actions of a buy. `status` is the status of the buy,
 * under both of its names.
 */
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

/** Describes a package as it was bought. */
export function describePackage(pkg: Package, context: TaskContext): Record<string, unknown> {
  const missing = pkg.creative_assignments.length === 0 && !pkg.cancellation
  const wanted = pkg.terms.formats
  const named = [...pkg.creative_assignments, ...(pkg.awaited ?? [])]
  return {
    package_id: pkg.package_id,
    product_id: pkg.product_id,
    pricing_option_id: pkg.pricing_option_id,
    budget: pkg.budget,
    ...(pkg.bid_price !== undefined && { bid_price: pkg.bid_price }),
    ...pkg.shown,
    ...(pkg.start !== undefined && { start_time: toIso(pkg.start) }),
    ...(pkg.end !== undefined && { end_time: toIso(pkg.end) }),
    ...(named.length > 0 && { creative_assignments: named }),
    ...(missing && {
      format_ids_to_provide: formats
        .filter(({ id }) => wanted.includes(id))
        .map(({ id }) => toFormatId(id, context)),
    }),
    paused: pkg.isPaused,
    canceled: pkg.cancellation !== undefined,
    ...(pkg.cancellation && { cancellation: describeCancellation(pkg.cancellation) }),
  }
}

export function describeCancellation({ at, reason }: Cancellation): Record<string, unknown> {
  return { canceled_at: toIso(at), canceled_by: 'buyer', ...(reason && { reason }) }
}

export function sumBudgets({ packages }: MediaBuy): number {
  return packages.reduce((sum, { budget }) => sum + budget, 0)
}
