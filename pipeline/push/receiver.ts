import { isDeepStrictEqual } from 'node:util'
import type { Subscription } from '../model/subscription.ts'
import { buildSelection, type Selection } from './selection.ts'
import type { Progress } from './state.ts'

/** A subscription whose changes are delivered, with its progress. */
export interface Receiver {
  subscription: Subscription
  readonly host: string
  selection: Selection
  readonly progress: Progress
  /**
   * Position that its subscriber was shown: changed filters begin there, or after the delivery that has started
   * from there.
   */
  shown: { cursor: string; isDelivering: boolean }
  /**
   * `idle`: has received everything; `queued`: waits for a slot; `busy`: a delivery is in progress;
   * `waiting`: until `dueAt`; `gone`: was disabled or deleted.
   */
  state: 'idle' | 'queued' | 'busy' | 'waiting' | 'gone'
  dueAt: number
  /** Time at which its progress was last saved. */
  savedAt: number
}

/** Clears the failures of a resumed subscription, so that its next delivery starts at once. */
export function forgetFailures(progress: Progress): Progress {
  return { ...progress, ...NOT_FAILING }
}

const NOT_FAILING = { failures: 0, failing_since: null, next_attempt_at: null }

/** Builds the receiver of a subscription; a new one begins where the subscription says. */
export function createReceiver(
  subscription: Subscription,
  known: Progress | undefined,
  now: number,
): Receiver {
  const { url, cursor } = subscription
  const progress = known ?? createProgress(cursor)
  const { next_attempt_at, pending } = progress
  return {
    subscription,
    host: new URL(url).hostname,
    selection: buildSelection(subscription),
    progress,
    shown: { cursor: progress.cursor, isDelivering: pending !== null },
    state: next_attempt_at === null ? 'idle' : 'waiting',
    dueAt: next_attempt_at === null ? 0 : Date.parse(next_attempt_at),
    savedAt: now,
  }
}

/** Replaces the subscription of a receiver. What only its old filters skipped is read again with changed ones. */
export function replaceSubscription(receiver: Receiver, subscription: Subscription): void {
  const selection = buildSelection(subscription)
  const isChanged = !isDeepStrictEqual(selection.filters, receiver.selection.filters)
  receiver.subscription = subscription
  if (!isChanged) return
  receiver.selection = selection
  const { cursor, isDelivering } = receiver.shown
  if (!isDelivering) Object.assign(receiver.progress, { cursor, pending: null })
}

/** Moves a receiver behind a page that it has taken, or that has nothing for it. */
export function passPage(receiver: Receiver, to: string): void {
  const { progress } = receiver
  // No change of filters posts again what a delivery had.
  if (progress.pending) receiver.shown = { cursor: to, isDelivering: false }
  Object.assign(progress, { cursor: to, pending: null })
}

function createProgress(cursor: string): Progress {
  return { cursor, pending: null, ...NOT_FAILING, delivered_at: null, attempts: 0 }
}
