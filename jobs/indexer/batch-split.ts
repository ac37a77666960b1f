import type { Observation } from '../../pipeline/model/observation.ts'

/** Assumed cost of a document before any was measured, and the least number worth a commit. */
const FIRST_MS = 3
const BATCH_DOCUMENTS_MIN = 50
/** Size of a typical document; a larger one counts for several. */
const TYPICAL_BYTES = 16 * 1024

/**
 * Splits observations into commits that are short enough for a save to wait for. A changed document
 * costs about a hundred times an unchanged one, so a part ends after as many changed documents as
 * were recently committed in the time given. Large documents count for several; the largest get a commit of
 * their own.
 */
export class BatchSplit {
  #msPerDocument = FIRST_MS

  /** Returns the next part of the remaining batch, whose commit should take at most `ms`. */
  next(remaining: readonly Observation[], ms: number): readonly Observation[] {
    const max = Math.max(BATCH_DOCUMENTS_MIN, Math.floor(ms / this.#msPerDocument))
    let documents = 0
    const end = remaining.findIndex(observation => {
      const before = documents
      documents += estimateWeight(observation)
      return documents > max && before > 0 && documents > before
    })
    return end < 0 ? remaining : remaining.slice(0, end)
  }

  /** Learns the cost of a batch: a higher cost counts at once, a lower one by half. */
  learn(part: readonly Observation[], ms: number): void {
    const documents = part.reduce((sum, observation) => sum + estimateWeight(observation), 0)
    if (documents < BATCH_DOCUMENTS_MIN / 2) return
    const msPerDocument = ms / documents
    this.#msPerDocument = Math.max(msPerDocument, (this.#msPerDocument + msPerDocument) / 2)
  }
}

function estimateWeight({ document, bytes = 0 }: Observation): number {
  return document === undefined ? 0 : Math.max(1, bytes / TYPICAL_BYTES)
}
