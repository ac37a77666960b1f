/** What is estimated of a crawl that is under way. */
export interface Estimate {
  /** Files a second, lately. */
  rate: number
  /** Seconds until all are done; undefined while that cannot be told. */
  leftS: number | undefined
}

interface Point {
  atMs: number
  done: number
}

/** As far back as it is looked at how fast a crawl is. */
const WINDOW_MS = 15_000
/**
 * Of so few files those are left that answer late or never: how fast the others came says nothing of
 * when these are given up.
 */
export const LAST_FILES = 32

/** Estimates from the last seconds how long a crawl still takes: its beginning says little of its end. */
export class CrawlEstimator {
  readonly #points: Point[] = []

  add(atMs: number, done: number, waiting: number): Estimate {
    this.#points.push({ atMs, done })
    while (this.#points.length > 2 && this.#points[1]!.atMs <= atMs - WINDOW_MS)
      this.#points.shift()
    const first = this.#points[0]!
    const seconds = (atMs - first.atMs) / 1_000
    const rate = seconds > 0 ? (done - first.done) / seconds : 0
    const isKnown = rate > 0 && (waiting === 0 || waiting > LAST_FILES)
    return { rate, leftS: isKnown ? Math.ceil(waiting / rate) : undefined }
  }
}
