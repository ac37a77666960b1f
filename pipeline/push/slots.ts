import { SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'

/** Time after which a delivery without an answer frees its slot. */
const SLOW_MS = SECOND

/** `well`: the last delivery succeeded, or there was none; `failing`: it failed. */
export type SlotKind = 'well' | 'failing'

type SlotLimits = Pick<Limits, 'deliveriesAtOnce' | 'deliveriesOpen' | 'deliveriesFailing'>

/**
 * Limits concurrent deliveries. One that gets no answer within SLOW_MS frees its slot for others, within a
 * larger limit of open requests, so that slow receivers do not hold up quick ones.
 */
export class Slots {
  readonly #limits: SlotLimits
  #quickCount = 0
  #slowCount = 0
  #failingCount = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  hasRoom(kind: SlotKind): boolean {
    const { deliveriesAtOnce, deliveriesOpen, deliveriesFailing } = this.#limits
    if (kind === 'failing') return this.#failingCount < deliveriesFailing
    return (
      this.#quickCount < deliveriesAtOnce && this.#quickCount + this.#slowCount < deliveriesOpen
    )
  }

  /**
   * Takes a slot; calls `onFreed` when a slow delivery frees it early. Returns a function to call at the end
   * of the delivery.
   */
  take(kind: SlotKind, onFreed: () => void): () => void {
    if (kind === 'failing') {
      this.#failingCount++
      return () => this.#failingCount--
    }
    this.#quickCount++
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.#quickCount--
      this.#slowCount++
      onFreed()
    }, SLOW_MS)
    return () => {
      clearTimeout(timer)
      if (isSlow) this.#slowCount--
      else this.#quickCount--
    }
  }
}
