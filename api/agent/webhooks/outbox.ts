import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DAY, type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { normalizeTargetUri } from '../../../pipeline/signing/target-uri.ts'
import type { MediaBuy, WebhookTarget } from '../media-buys/media-buy.ts'
import { findStatus } from '../media-buys/status.ts'
import type { AgentState } from '../state/store.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Webhooks that are still to be posted. */
    webhook: Delivery
    /** Their times and ids, in the order in which they are due. */
    webhook_due: true
  }
}

/** A webhook to post. Its body never changes once it is written: retries send the same. */
export interface Delivery {
  id: string
  target: WebhookTarget
  dueAt: Instant
  attempts: number
  /** Name of the protocol that its subscriber says. */
  protocolName?: string
  body?: string
  /** The start of a flight to report, until it is certain that it began. */
  start?: { tenant: string; media_buy_id: string }
}

/** Time after which a webhook that cannot be delivered is dropped. */
const DELIVERY_LIFETIME_MS = DAY

/** Queues a webhook for its time. */
export function saveDelivery(delivery: Delivery, state: AgentState, now: Instant): void {
  const lifetimeMs = Math.max(0, delivery.dueAt - now) + DELIVERY_LIFETIME_MS
  const known = state.get('webhook', '', delivery.id)
  if (known) state.remove('webhook_due', '', toDueKey(known))
  state.put('webhook', '', delivery.id, delivery, { now, lifetimeMs })
  state.put('webhook_due', '', toDueKey(delivery), true, { now, lifetimeMs })
}

/** Removes a webhook that was posted, or is obsolete. */
export function removeDelivery(id: string, state: AgentState): void {
  const known = state.get('webhook', '', id)
  if (!known) return
  state.remove('webhook', '', id)
  state.remove('webhook_due', '', toDueKey(known))
}

/** Tells whether a webhook is due at a time. */
export function hasDue(state: AgentState, now: Instant): boolean {
  return listDueKeys(state, now, 1).length > 0
}

/**
 * Finds webhooks that are due at a time, the longest due first, within a transaction. The key of one that
 * was deleted goes too.
 */
export function findDue(state: AgentState, now: Instant, limit: number): Delivery[] {
  return listDueKeys(state, now, limit).flatMap(key => {
    const delivery = state.get('webhook', '', key.slice(TIME_DIGITS + 1))
    if (!delivery) state.remove('webhook_due', '', key)
    return delivery ?? []
  })
}

function listDueKeys(state: AgentState, now: Instant, limit: number): string[] {
  return state.listIdsUntil('webhook_due', '', toDueKey({ dueAt: now + 1, id: '' }), limit)
}

/** Digits of a time in a key, so that keys sort by time. */
const TIME_DIGITS = 15

function toDueKey({ dueAt, id }: Pick<Delivery, 'dueAt' | 'id'>): string {
  return `${String(Math.max(0, Math.floor(dueAt))).padStart(TIME_DIGITS, '0')} ${id}`
}

const Config = z.object({
  url: z.string(),
  token: z.string().optional(),
  operation_id: z.string().optional(),
})

/** Reads the target of a caller's webhooks; undefined if there is none, or nothing can be posted to it. */
export function readTarget(config: unknown): WebhookTarget | undefined {
  const target = Config.safeParse(config)
  if (!target.success || normalizeTargetUri(target.data.url) === undefined) return undefined
  const { url, token, operation_id } = target.data
  return {
    url,
    ...(token !== undefined && { token }),
    ...(operation_id !== undefined && { operation_id }),
  }
}

interface Message {
  /** Id of the task, where the caller knows it. */
  task_id?: string
  task_type: string
  protocol: string
  result: Record<string, unknown>
}

/** Writes the body of a webhook: its key lets receivers recognize a repeated post. */
function writeBody(message: Message, { operation_id, token }: WebhookTarget, now: Instant): string {
  return JSON.stringify({
    idempotency_key: randomUUID(),
    task_id: randomUUID(),
    ...(operation_id !== undefined && { operation_id }),
    ...message,
    status: 'completed',
    timestamp: toIso(now),
    ...(token !== undefined && { token }),
  })
}

interface Completion {
  task: string
  result: Record<string, unknown>
  /** Its id, where it was submitted before. */
  task_id?: string
}

/** Queues a webhook about a task that is completed at the time of the context, in its transaction. */
export function queueCompletion(
  { task, result, task_id }: Completion,
  target: WebhookTarget,
  { state, now, protocols, protocolName }: TaskContext,
): void {
  const protocol = getFirst(protocols).replace('_', '-')
  const message = { ...(task_id !== undefined && { task_id }), task_type: task, protocol, result }
  const body = writeBody(message, target, now)
  const delivery = { id: randomUUID(), target, dueAt: now, attempts: 0, protocolName, body }
  saveDelivery(delivery, state, now)
}

/** Queues a webhook about the start of a future flight; a later change of the buy moves or removes it. */
export function queueStart(buy: MediaBuy, { state, tenant, now, protocolName }: TaskContext): void {
  const { media_buy_id, webhook } = buy
  const id = `start ${media_buy_id}`
  removeDelivery(id, state)
  const status = findStatus(buy, now)
  if (!webhook || (status !== 'pending_start' && status !== 'pending_creatives')) return
  const start = { tenant, media_buy_id }
  const dueAt = Math.max(now, buy.start)
  const delivery = { id, target: webhook, dueAt, attempts: 0, protocolName, start }
  saveDelivery(delivery, state, now)
}

/** Writes the body about the start of a flight; undefined if it did not start. */
export function writeStart(
  { target, start }: Delivery,
  state: AgentState,
  now: Instant,
): string | undefined {
  const buy = start && state.get('media_buy', start.tenant, start.media_buy_id)
  if (!buy || findStatus(buy, now) !== 'active') return undefined
  const { media_buy_id, revision, packages } = buy
  const result = {
    media_buy_id,
    status: 'active',
    media_buy_status: 'active',
    previous_status: 'pending_start',
    revision,
    packages: packages.map(({ package_id }) => ({ package_id })),
  }
  return writeBody({ task_type: 'create_media_buy', protocol: 'media-buy', result }, target, now)
}
