import type { Step } from '../../../pipeline/writer/sequencer.ts'

/** Splits the time of commits by the sequencer's steps and what lies between two of them. */
export class StepTimes {
  readonly #ms = new Map<string, number>()
  /** Off while the bench itself works. */
  isOn = false
  #since = 0
  #indexEnded = 0

  note(step: Step, moment: 'before' | 'after'): void {
    const now = performance.now()
    if (moment === 'after') {
      this.#add(step, now - this.#since)
      if (step === 'index') this.#indexEnded = now
      return
    }
    this.#since = now
    // Between these two steps the serving store's records are projected.
    if (step === 'serving') this.#add('projection', now - this.#indexEnded)
  }

  clear(): void {
    this.#ms.clear()
  }

  seconds(total: number): Record<string, number> {
    const known = [...this.#ms].map(([step, ms]) => [step, ms / 1_000] as const)
    const rest = total - known.reduce((sum, [, seconds]) => sum + seconds, 0)
    return { ...Object.fromEntries(known), rest }
  }

  #add(name: string, ms: number): void {
    if (this.isOn) this.#ms.set(name, (this.#ms.get(name) ?? 0) + ms)
  }
}
