import { type Clock, MINUTE, toIso } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { computeRetryMs, hasFailedTooLong, type Verdict } from './attempt.ts'
import { forgetFailures, passPage, type Receiver } from './receiver.ts'
import type { Attempt, Pending, PushState } from './state.ts'

/** Time until a subscription that could not be disabled is tried again. */
const DISABLE_RETRY_MS = MINUTE

interface ProgressKeeperParts {
  state: PushState
  limits: Limits
  clock: Clock
  log: Log
  /** Disables a subscription; resolves to false if it must be tried again. */
  disable(subscriptionId: string, reason: string): Promise<boolean>
}

/** Decides what follows from an attempt (next delivery, retry, end) and saves the progress of the receiver. */
export class ProgressKeeper {
  readonly #parts: ProgressKeeperParts

  constructor(parts: ProgressKeeperParts) {
    this.#parts = parts
  }

  /** Saves the progress of a receiver. */
  save(receiver: Receiver): Promise<void> {
    const { state, clock } = this.#parts
    receiver.savedAt = clock.now()
    return state.keepProgress(receiver.subscription.subscription_id, receiver.progress)
  }

  /** Adds an attempt to the log of the subscription. */
  log(
    { subscription: { subscription_id }, progress }: Receiver,
    verdict: Exclude<Verdict, { kind: 'deferred' }>,
    facts: Omit<Attempt, 'delivered' | 'status' | 'error'>,
  ): void {
    const { state, log } = this.#parts
    const { status } = verdict
    const error = verdict.kind === 'taken' ? null : verdict.error
    const attempt = { ...facts, delivered: verdict.kind === 'taken', status, error }
    state.keepAttempt(subscription_id, progress.attempts++, attempt)
    const { delivery_id, events, duration_ms: ms } = facts
    const fields = { subscription_id, delivery_id, events, ms, status }
    if (error === null) log.debug(fields, 'delivered')
    else log.warn({ ...fields, reason: error }, 'not delivered')
  }

  /** Applies the verdict on an attempt; returns whether the receiver can get its next delivery at once. */
  applyVerdict(receiver: Receiver, verdict: Verdict, pending: Pending): boolean {
    const { clock, limits } = this.#parts
    const { progress } = receiver
    const now = clock.now()
    switch (verdict.kind) {
      case 'taken':
        passPage(receiver, pending.to)
        Object.assign(progress, forgetFailures(progress), { delivered_at: toIso(now) })
        void this.save(receiver)
        return true
      case 'gone':
        this.giveUp(receiver, `the receiver ${verdict.error}`)
        return false
      case 'deferred':
        progress.pending = pending
        this.wait(receiver, verdict.waitMs)
        return false
    }
    progress.failures++
    progress.failing_since ??= toIso(now)
    if (hasFailedTooLong(progress.failing_since, now, limits)) {
      const text = `no delivery was taken since ${progress.failing_since}; the last error: ${verdict.error}`
      this.giveUp(receiver, text)
      return false
    }
    this.wait(receiver, computeRetryMs(progress.failures, verdict.retryAfterMs, limits))
    return false
  }

  /** Schedules the next attempt. */
  wait(receiver: Receiver, ms: number): void {
    if (receiver.state === 'gone') return
    receiver.state = 'waiting'
    receiver.dueAt = this.#parts.clock.now() + ms
    receiver.progress.next_attempt_at = toIso(receiver.dueAt)
    void this.save(receiver)
  }

  /** Disables the subscription; if that fails, it is tried again later. */
  giveUp(receiver: Receiver, reason: string): void {
    const { disable, log } = this.#parts
    const { subscription_id } = receiver.subscription
    this.wait(receiver, DISABLE_RETRY_MS)
    disable(subscription_id, reason).then(
      isDone => {
        if (isDone) log.warn({ subscription_id, reason }, 'a subscription was disabled')
      },
      error => log.error({ error, subscription_id }, 'a subscription cannot be disabled'),
    )
  }
}
