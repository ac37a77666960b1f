import type { Observation } from '../pipeline/model/observation.ts'

/** What a document costs until something is known of it, and how few are worth a commit of their own. */
const FIRST_MS = 3
const LEAST = 50
/** A document counts for as many as there are such pieces of it. */
const USUAL_BYTES = 16 * 1024

/**
 * Cuts observations into parts that a save may stand behind, each a commit. What has changed costs a
 * hundred times what has not, and a first night brings nothing else: so a part ends with as many
 * documents as were lately committed in `ms`, however many files it tells nothing new of. A large one
 * counts for many: of the largest each is a commit.
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
    const end = left.findIndex(seen => {
      const before = documents
      documents += weightOf(seen)
      return documents > most && before > 0 && documents > before
    })
    return end < 0 ? left : left.slice(0, end)
  }

  /** What costs more is believed at once, what costs less by half. */
  learn(part: readonly Observation[], ms: number): void {
    const documents = part.reduce((sum, seen) => sum + weightOf(seen), 0)
    if (documents < LEAST / 2) return
    const msEach = ms / documents
    this.#msEach = Math.max(msEach, (this.#msEach + msEach) / 2)
  }
}

function weightOf({ document, bytes = 0 }: Observation): number {
  return document === undefined ? 0 : Math.max(1, bytes / USUAL_BYTES)
}
