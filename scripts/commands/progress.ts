import { SingleBar } from 'cli-progress'
import { countThings, formatCount } from '../../pipeline/core/counts.ts'
import { nameResult, type Outcome } from '../../pipeline/core/outcomes.ts'
import type { CrawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import { CrawlEstimator, type Estimate, IDLE_S, LAST_FILES } from './crawl-estimate.ts'
import { formatResults } from './text.ts'

/** Interval of progress lines when stderr is no terminal. */
const LINE_EVERY_MS = 5_000
/** Remaining seconds that are not worth a number. */
const SOON_S = 5

/** Most hosts do not take as long to answer: a crawler may be what is silent. */
export const SLOW_HOST_S = 15
/** A host never takes as long to answer: a crawler that is silent for longer is stopped, or there is none. */
const CRAWLER_SILENT_S = 60
const CRAWLER_SILENCE_MAX_S = 600

/** Shows the progress of a crawl on stderr: a bar on a terminal, lines elsewhere. */
export class Progress {
  readonly #bar: SingleBar | undefined
  readonly #estimator = new CrawlEstimator()
  #printedAt = performance.now()

  constructor() {
    if (!process.stderr.isTTY) return
    const format = '{bar} {value}/{total} files  {rate}/s  {left}  {outcomes}'
    this.#bar = new SingleBar({ format, hideCursor: true, stream: process.stderr, barsize: 24 })
    this.#bar.start(1, 0, { rate: 0, left: '', outcomes: '' })
  }

  show(summary: CrawlSummary): Estimate {
    const now = performance.now()
    const done = countDone(summary)
    const total = done + summary.waiting
    const estimate = this.#estimator.add(now, done, summary.waiting)
    if (this.#bar) {
      const rate = Math.round(estimate.rate)
      const left = describeLeft(summary.waiting, estimate)
      this.#bar.setTotal(Math.max(total, 1))
      this.#bar.update(done, { rate, left, outcomes: formatOutcomes(summary) })
    } else if (now - this.#printedAt >= LINE_EVERY_MS) {
      this.#printedAt = now
      process.stderr.write(`${describeProgress(summary, estimate)}\n`)
    }
    return estimate
  }

  end(): void {
    this.#bar?.stop()
  }
}

/** Describes in a line how far a crawl is. */
export function describeProgress(summary: CrawlSummary, estimate: Estimate): string {
  const done = countDone(summary)
  const total = countThings(done + summary.waiting, 'file')
  const left = describeLeft(summary.waiting, estimate)
  const outcomes = formatOutcomes(summary)
  const line = `crawled ${formatCount(done)} of ${total}, ${Math.round(estimate.rate)}/s, ${left}`
  return outcomes === '' ? line : `${line}: ${outcomes}`
}

/** Throws where no file was done for long: the job of a crawler that was killed goes to another before that. */
export function assertCrawlerAnswers(idleS: number): void {
  if (idleS < CRAWLER_SILENCE_MAX_S) return
  throw new Error(
    `no crawler has answered for ${CRAWLER_SILENCE_MAX_S / 60} minutes: check the role \`crawler\` with \`registry status\`; files that are left stay due`,
  )
}

function countDone({ outcomes }: CrawlSummary): number {
  return outcomes.reduce((sum, { files }) => sum + files, 0)
}

function describeLeft(waiting: number, { leftS, idleS }: Estimate): string {
  if (waiting > 0 && idleS >= CRAWLER_SILENT_S)
    return `no crawler has answered for ${Math.round(idleS)} s`
  if (waiting > 0 && waiting <= LAST_FILES && idleS < SLOW_HOST_S)
    return `waiting for ${countThings(waiting, 'slow response')}`
  if (waiting > 0 && idleS >= IDLE_S) return `no response for ${Math.round(idleS)} s`
  if (leftS === undefined) return 'no estimate yet'
  if (leftS < SOON_S) return 'almost done'
  return leftS < 120 ? `about ${leftS} s left` : `about ${Math.round(leftS / 60)} min left`
}

function formatOutcomes({ outcomes }: CrawlSummary): string {
  return formatResults(
    outcomes.map(({ outcome, files }) => ({ result: nameResult(outcome as Outcome), files })),
  )
}
