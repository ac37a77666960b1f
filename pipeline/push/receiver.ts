import type { Subscription } from '../model/subscription.ts'
import { buildSelection, type Selection } from './selection.ts'
import type { Progress } from './state.ts'

/** A subscription whose changes are delivered, with its progress. */
export interface Receiver {
  subscription: Subscription
  readonly host: string
  selection: Selection
  progress: Progress
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
  const { next_attempt_at } = progress
  return {
    subscription,
    host: new URL(url).hostname,
    selection: buildSelection(subscription),
    progress,
    state: next_attempt_at === null ? 'idle' : 'waiting',
    dueAt: next_attempt_at === null ? 0 : Date.parse(next_attempt_at),
    savedAt: now,
  }
}

function createProgress(cursor: string): Progress {
  return { cursor, pending: null, ...NOT_FAILING, delivered_at: null, attempts: 0 }
}
