import { getAt, getFirst } from '../../pipeline/core/present.ts'

/** Speed and remaining time of a crawl. */
export interface Estimate {
  /** Files per second over the last seconds. */
  rate: number
  /** Seconds until all files are done; undefined while that is unknown. */
  leftS: number | undefined
  /** Seconds since a file was done last, or since the start. */
  idleS: number
}

interface Point {
  atMs: number
  done: number
}

/** Span over which the speed is measured. */
const WINDOW_MS = 15_000
/** Seconds below which the speed is that of the start, when hosts are first looked up. */
const MEASURED_MIN_S = 10
/** Seconds without a file after which the crawl stands still, and its speed before says nothing. */
export const IDLE_S = 5
/**
 * The last files of a crawl answer late or never; below this number the speed so far says nothing
 * about when they are given up.
 */
export const LAST_FILES = 32

/**
 * Estimates from the last seconds how long a crawl still takes: the speed at its start says little.
 */
export class CrawlEstimator {
  readonly #points: Point[] = []
  #movedAtMs: number | undefined

  add(atMs: number, done: number, waiting: number): Estimate {
    if (this.#movedAtMs === undefined || done !== this.#points.at(-1)?.done) this.#movedAtMs = atMs
    this.#points.push({ atMs, done })
    while (this.#points.length > 2 && getAt(this.#points, 1).atMs <= atMs - WINDOW_MS)
      this.#points.shift()
    const first = getFirst(this.#points)
    const seconds = (atMs - first.atMs) / 1_000
    const rate = seconds > 0 ? (done - first.done) / seconds : 0
    const isMeasured = waiting === 0 || seconds >= MEASURED_MIN_S
    const idleS = (atMs - this.#movedAtMs) / 1_000
    const isMoving = rate > 0 && idleS < IDLE_S
    const isKnown = waiting === 0 ? rate > 0 : isMoving && isMeasured && waiting > LAST_FILES
    return { rate, leftS: isKnown ? Math.ceil(waiting / rate) : undefined, idleS }
  }
}
