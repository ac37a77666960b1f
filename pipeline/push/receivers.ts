import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { findLastSubscriptionChange, listAllSubscriptions } from '../read/lookups/subscriptions.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { hasFailedTooLong } from './attempt.ts'
import { createReceiver, forgetFailures, type Receiver, replaceSubscription } from './receiver.ts'
import type { Progress, PushState } from './state.ts'

interface ReceiversParts {
  state: PushState
  limits: Limits
  clock: Clock
}

/** Keeps a receiver for each subscription that is enabled. */
export class Receivers {
  readonly #parts: ReceiversParts
  readonly #receivers = new Map<string, Receiver>()
  /** State of the record when its subscriptions were last read. */
  #lastRead: { changed: number; record: Sqlite } | undefined

  constructor(parts: ReceiversParts) {
    this.#parts = parts
  }

  list(): Iterable<Receiver> {
    return this.#receivers.values()
  }

  /** Reads the subscriptions again if any of them has changed; returns whether it did. */
  refresh(record: Sqlite): boolean {
    const changed = findLastSubscriptionChange(record)
    const isFirst = this.#lastRead === undefined
    if (this.#lastRead?.changed === changed && this.#lastRead.record === record) return false
    this.#lastRead = { changed, record }
    const { state, clock } = this.#parts
    const all = listAllSubscriptions(record)
    const known = new Set(all.map(({ subscription_id }) => subscription_id))
    for (const id of state.listIds()) if (!known.has(id)) state.remove(id)
    const enabled = new Map(
      all
        .filter(({ disabled_at }) => disabled_at === null)
        .map(subscription => [subscription.subscription_id, subscription]),
    )
    for (const [id, receiver] of this.#receivers) {
      if (enabled.has(id)) continue
      receiver.state = 'gone'
      this.#receivers.delete(id)
    }
    for (const [id, subscription] of enabled) {
      const known = this.#receivers.get(id)
      if (known !== undefined) {
        replaceSubscription(known, subscription)
        continue
      }
      const progress = this.#findProgress(id, isFirst)
      this.#receivers.set(id, createReceiver(subscription, progress, clock.now()))
    }
    return true
  }

  /**
   * Finds the progress of a subscription that is new here. If it was resumed, earlier failures are forgotten;
   * otherwise its next failure would disable it again.
   */
  #findProgress(id: string, isFirst: boolean): Progress | undefined {
    const { state, clock, limits } = this.#parts
    const progress = state.findProgress(id)
    if (progress === undefined) return undefined
    const isDisabled = hasFailedTooLong(progress.failing_since, clock.now(), limits)
    return isFirst && !isDisabled ? progress : forgetFailures(progress)
  }
}
