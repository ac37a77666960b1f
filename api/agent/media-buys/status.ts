import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import { TaskError } from '../errors.ts'
import type { MediaBuy } from './media-buy.ts'

export const statuses = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'rejected',
  'canceled',
] as const
export type MediaBuyStatus = (typeof statuses)[number]

const BuyStatus = z.enum(statuses)

export const StatusFilter = z
  .union([BuyStatus, z.array(BuyStatus).min(1)])
  .describe('Only buys of this status, or of one of these')

/** Converts a filter to a list of statuses; without a filter, to the default ones. */
export function toStatuses(
  filter: z.infer<typeof StatusFilter> | undefined,
  defaults?: MediaBuyStatus[],
): MediaBuyStatus[] | undefined {
  return filter === undefined ? defaults : [filter].flat()
}

/** Finds the status of a media buy at a time. Only the clock starts and ends a flight. */
export function findStatus(buy: MediaBuy, now: Instant): MediaBuyStatus {
  if (buy.cancellation) return 'canceled'
  if (buy.rejection) return 'rejected'
  if (now >= buy.end) return 'completed'
  if (buy.readyAt === undefined) return 'pending_creatives'
  if (now < buy.start) return 'pending_start'
  return buy.isPaused ? 'paused' : 'active'
}

/** Actions on a running buy besides pausing and resuming, in the order of the answer. */
const changeActions = [
  'cancel',
  'update_budget',
  'update_dates',
  'update_packages',
  'add_packages',
  'sync_creatives',
] as const

/** Lists the actions that are valid now: exactly those that `update_media_buy` would accept. */
export function listValidActions(buy: MediaBuy, now: Instant): string[] {
  if (hasEnded(buy, now)) return []
  return [buy.isPaused ? 'resume' : 'pause', ...changeActions]
}

function hasEnded(buy: MediaBuy, now: Instant): boolean {
  const status = findStatus(buy, now)
  return status === 'canceled' || status === 'completed' || status === 'rejected'
}

/**
 * Throws unless a buy can be paused, or resumed where `paused` is false. A buy may be paused before it starts: it
 * then starts paused.
 */
export function assertCanPause(buy: MediaBuy, paused: boolean, now: Instant): void {
  assertCanChange(buy, now)
  if (buy.isPaused !== paused) return
  const message = paused ? 'It is already paused' : 'It is not paused'
  throw new TaskError('INVALID_STATE', message, { field: 'paused' })
}

/** Throws where a buy is over: canceled, completed or rejected. */
export function assertCanCancel(buy: MediaBuy, now: Instant): void {
  if (!hasEnded(buy, now)) return
  const message = `A media buy that is ${findStatus(buy, now)} cannot be canceled`
  throw new TaskError('NOT_CANCELLABLE', message, { field: 'canceled' })
}

/** Throws where a buy is over: canceled, completed or rejected. */
export function assertCanChange(buy: MediaBuy, now: Instant): void {
  if (!hasEnded(buy, now)) return
  const message = `A media buy that is ${findStatus(buy, now)} cannot be changed`
  throw new TaskError('INVALID_STATE', message, { field: 'media_buy_id' })
}
