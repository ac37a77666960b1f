import { SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'

/** Time after which a delivery without an answer gives its place to another one. */
const SLOW_MS = SECOND

/** Receivers that are well, and those that failed last time. */
export type SlotKind = 'well' | 'failing'

type SlotLimits = Pick<Limits, 'deliveriesAtOnce' | 'deliveriesOpen' | 'deliveriesFailing'>

/** Counts deliveries under way, so that those without an answer keep no place from the others. */
export class Slots {
  readonly #limits: SlotLimits
  #quick = 0
  #slow = 0
  #failing = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  hasRoom(kind: SlotKind): boolean {
    const { deliveriesAtOnce, deliveriesOpen, deliveriesFailing } = this.#limits
    if (kind === 'failing') return this.#failing < deliveriesFailing
    return this.#quick < deliveriesAtOnce && this.#quick + this.#slow < deliveriesOpen
  }

  /** Takes a place; `yielded` is called when it was given up early. Returns how to leave it. */
  enter(kind: SlotKind, yielded: () => void): () => void {
    if (kind === 'failing') {
      this.#failing++
      return () => this.#failing--
    }
    this.#quick++
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.#quick--
      this.#slow++
      yielded()
    }, SLOW_MS)
    return () => {
      clearTimeout(timer)
      if (isSlow) this.#slow--
      else this.#quick--
    }
  }
}
