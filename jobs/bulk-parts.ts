import type { Observation } from '../pipeline/model/observation.ts'

/** What a document costs until something is known of it, and how few are worth a commit of their own. */
const FIRST_MS = 3
const LEAST = 50

/**
 * Cuts observations into parts that a save may stand behind, each a commit. What has changed costs a
 * hundred times what has not, and a first night brings nothing else: so a part ends with as many
 * documents as were lately committed in `ms`, however many files it tells nothing new of.
 */
export class BulkParts {
  readonly #ms: number
  #msEach = FIRST_MS

  constructor(ms: number) {
    this.#ms = ms
  }

  /** The next part of what is left. */
  next(left: readonly Observation[]): readonly Observation[] {
    const most = Math.max(LEAST, Math.floor(this.#ms / this.#msEach))
    let documents = 0
    const end = left.findIndex(seen => isRead(seen) && ++documents > most)
    return end < 0 ? left : left.slice(0, end)
  }

  /** What costs more is believed at once, what costs less by half. */
  learn(part: readonly Observation[], ms: number): void {
    const documents = part.filter(isRead).length
    if (documents < LEAST / 2) return
    const msEach = ms / documents
    this.#msEach = Math.max(msEach, (this.#msEach + msEach) / 2)
  }
}

function isRead({ document }: Observation): boolean {
  return document !== undefined
}
