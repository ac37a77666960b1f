import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Clock, MINUTE } from '../../pipeline/core/clock.ts'
import { AdmissionFilter } from '../../pipeline/read/cache/admission-filter.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { isContent, type Sent, toBytes } from './reply.ts'

const CACHE_BYTES_MAX = 32 * 1024 * 1024
/** Maximum length of a cached answer: longer ones would evict everything else. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Factor by which the compressed forms of an answer add to its size. */
const WITH_COMPRESSED = 1.5
const ETAG_CHARS = 22

/**
 * Caches answers of lists and counts by question, in the form in which they are sent. They depend on a
 * snapshot, the search file and the members, so all are dropped when one of these changes; and each after a
 * minute, since some contain the position of the feed. Concurrent equal questions share one answer.
 */
export class AnswerCache {
  readonly #reader: Reader
  readonly #answers: LRUCache<string, Sent>
  readonly #pending = new Map<string, Promise<Sent>>()
  readonly #filter = new AdmissionFilter()
  #snapshots: readonly unknown[] = []

  constructor(reader: Reader, clock: Clock, mostBytes = CACHE_BYTES_MAX) {
    this.#reader = reader
    this.#answers = new LRUCache({
      maxSize: mostBytes,
      maxEntrySize: Math.min(ANSWER_BYTES_MAX, mostBytes),
      ttl: MINUTE,
      ttlResolution: 0,
      perf: clock,
      sizeCalculation: ({ body }, question) =>
        Math.ceil(question.length + Buffer.byteLength(body as Buffer | string) * WITH_COMPRESSED),
    })
  }

  /**
   * Answers a question from the cache, or by `make` if it is not cached. Refusals are not cached, and an
   * answer that is cheap to make is from its second request.
   */
  answer(question: string, make: () => Promise<Sent>, isCheap = false): Sent | Promise<Sent> {
    this.#forgetOld()
    return (
      this.#answers.get(question) ??
      this.#pending.get(question) ??
      this.#make(question, make, !isCheap || this.#filter.admits(question))
    )
  }

  #make(question: string, make: () => Promise<Sent>, isAdmitted: boolean): Promise<Sent> {
    const making: Promise<Sent> = make()
      .then(sent => {
        const marked = sent.status === 200 ? toMarked(sent) : sent
        this.#forgetOld()
        if (isAdmitted && marked !== sent && this.#pending.get(question) === making)
          this.#answers.set(question, marked)
        return marked
      })
      .finally(() => {
        if (this.#pending.get(question) === making) this.#pending.delete(question)
      })
    this.#pending.set(question, making)
    return making
  }

  #forgetOld(): void {
    const { snapshot, search, lists } = this.#reader
    const shows = [snapshot, search, lists, getMembers(this.#reader)]
    if (shows.every((snapshot, i) => snapshot === this.#snapshots[i])) return
    this.#snapshots = shows
    this.#answers.clear()
    this.#pending.clear()
  }
}

/** Converts an answer to bytes with their ETag. */
function toMarked({ body, ...sent }: Sent): Sent {
  const bytes = toBytes(isContent(body) ? body : JSON.stringify(body))
  const etag = sent.etag ?? hash('sha256', bytes, 'base64url').slice(0, ETAG_CHARS)
  return { ...sent, body: bytes, etag, compressed: new Map() }
}
