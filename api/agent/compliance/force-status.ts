import { z } from 'zod'
import { getFirst } from '../../../pipeline/core/present.ts'
import {
  type Account,
  type AccountStatus,
  accountStatuses,
  CallersId,
  findAccountStatus,
  listKnownAccounts,
  saveAccount,
} from '../accounts.ts'
import { type CreativeStatus, creativeStatuses } from '../creatives/creative.ts'
import { toLibraryScope } from '../creatives/library.ts'
import { planDelivery } from '../media-buys/delivery-plan.ts'
import type { MediaBuy } from '../media-buys/media-buy.ts'
import { addRevision, findMediaBuys, saveMediaBuy } from '../media-buys/media-buy-store.ts'
import { findStatus, type MediaBuyStatus, statuses } from '../media-buys/status.ts'
import { ForcedSubmission, forceSubmission } from '../media-buys/submission.ts'
import type { TaskContext } from '../task-context.ts'
import { assertTransition, ControllerError } from './controller-error.ts'

const AccountChange = z.looseObject({ account_id: CallersId, status: z.enum(accountStatuses) })

/** Sets the status of an account, whatever it was. */
export function forceAccountStatus(params: unknown, context: TaskContext) {
  const { account_id, status } = parseParams(AccountChange, params)
  const known = listKnownAccounts(context).find(account => account.account_id === account_id)
  if (!known) throw new ControllerError('NOT_FOUND', `there is no account ${account_id}`)
  const previous: AccountStatus = findAccountStatus(known)
  saveAccount({ ...known, isClosed: status === 'closed', forced: status }, context)
  return toTransition(previous, status)
}

const CreativeChange = z.looseObject({ creative_id: CallersId, status: z.enum(creativeStatuses) })

const creativeTransitions: Readonly<Record<CreativeStatus, readonly CreativeStatus[]>> = {
  processing: ['pending_review', 'approved', 'rejected'],
  pending_review: ['approved', 'rejected'],
  approved: ['approved', 'archived', 'rejected'],
  archived: ['approved'],
  rejected: ['processing', 'pending_review'],
}

/** Moves a creative to another status, if the transition is allowed. */
export function forceCreativeStatus(params: unknown, context: TaskContext) {
  const { creative_id, status } = parseParams(CreativeChange, params)
  const { state, tenant, now } = context
  const owner = state.get('creative_owner', tenant, creative_id)
  const scope = toLibraryScope(context, owner ?? '')
  const known = owner === undefined ? undefined : state.get('creative', scope, creative_id)
  if (!known) throw new ControllerError('NOT_FOUND', `there is no creative ${creative_id}`)
  assertTransition(creativeTransitions, known.status, status)
  state.put('creative', scope, creative_id, { ...known, status, updatedAt: now }, { now })
  return toTransition(known.status, status)
}

const MediaBuyChange = z.looseObject({
  media_buy_id: CallersId,
  status: z.enum(statuses),
  rejection_reason: z.string().max(500).optional(),
})

const mediaBuyTransitions: Partial<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  pending_creatives: ['pending_start', 'active', 'paused', 'canceled', 'rejected'],
  pending_start: ['active', 'paused', 'canceled', 'rejected'],
  active: ['active', 'paused', 'completed', 'canceled'],
  paused: ['active', 'completed', 'canceled'],
}

/** Moves a media buy to another status, if the transition is allowed, by changing the facts behind the status. */
export function forceMediaBuyStatus(params: unknown, context: TaskContext) {
  const { media_buy_id, status, rejection_reason } = parseParams(MediaBuyChange, params)
  const { now } = context
  const buy = requireBuy(media_buy_id, context)
  const previous = findStatus(buy, now)
  assertTransition(mediaBuyTransitions, previous, status)
  const facts = buildFacts(buy, status, rejection_reason, now)
  const forced = planDelivery(addRevision({ ...buy, ...facts }, `forced_${status}`, now), now)
  const current = findStatus(forced, now)
  if (current !== status) {
    throw new ControllerError(
      'INVALID_TRANSITION',
      `its flight determines that it is ${current}`,
      previous,
    )
  }
  saveMediaBuy(forced, context)
  return toTransition(previous, status)
}

function buildFacts(
  buy: MediaBuy,
  status: MediaBuyStatus,
  reason: string | undefined,
  now: number,
): Partial<MediaBuy> {
  const readyAt = buy.readyAt ?? now
  const ended = { at: now, ...(reason !== undefined && { reason }) }
  switch (status) {
    case 'active':
      return { readyAt, start: Math.min(buy.start, now), isPaused: false }
    case 'paused':
      return { readyAt, start: Math.min(buy.start, now), isPaused: true }
    case 'completed':
      return { end: now, start: Math.min(buy.start, now) }
    case 'canceled':
      return { cancellation: ended }
    case 'rejected':
      return { rejection: ended }
    default:
      return { readyAt }
  }
}

/** Makes the next purchase of an account a submitted task, which is completed later. */
export function forcePurchase(params: unknown, { account_id }: Account, context: TaskContext) {
  const forced = parseParams(ForcedSubmission, params)
  forceSubmission(forced, account_id, context)
  const { arm, task_id } = forced
  return { success: true, forced: { arm, task_id } }
}

/** Finds the media buy that a test names. */
export function requireBuy(id: string, context: TaskContext): MediaBuy {
  const [buy] = findMediaBuys([id], context)
  if (buy) return buy
  throw new ControllerError('NOT_FOUND', `there is no media buy ${id}`)
}

/** Reads the parameters of a scenario. */
export function parseParams<Schema extends z.ZodType>(
  schema: Schema,
  params: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(params ?? {})
  if (parsed.success) return parsed.data
  const { path, message } = getFirst(parsed.error.issues)
  throw new ControllerError('INVALID_PARAMS', `params.${path.join('.')}: ${message}`)
}

function toTransition(previous_state: string, current_state: string) {
  return { success: true, previous_state, current_state }
}
