import { SingleBar } from 'cli-progress'
import type { CrawlSummary } from '../../pipeline/index/crawl-summary.ts'

/** Off a terminal, a line this often. */
const LINE_EVERY_MS = 5_000

/** Shows how a crawl goes: a bar on a terminal, else a line now and then; both on stderr. */
export class Progress {
  readonly #bar: SingleBar | undefined
  readonly #started = performance.now()
  #told = performance.now()

  constructor() {
    if (!process.stderr.isTTY) return
    const format = '{bar} {value}/{total} files  {rate}/s  {left} left  {outcomes}'
    this.#bar = new SingleBar({ format, hideCursor: true, stream: process.stderr, barsize: 24 })
    this.#bar.start(1, 0, { rate: 0, left: '?', outcomes: '' })
  }

  show(summary: CrawlSummary): void {
    const done = summary.outcomes.reduce((sum, { files }) => sum + files, 0)
    const total = done + summary.waiting
    const seconds = (performance.now() - this.#started) / 1_000
    const rate = Math.round(done / seconds)
    const left = rate === 0 ? '?' : `${Math.ceil(summary.waiting / rate)} s`
    const outcomes = topOutcomes(summary)
    if (this.#bar) {
      this.#bar.setTotal(Math.max(total, 1))
      this.#bar.update(done, { rate, left, outcomes })
    } else if (performance.now() - this.#told >= LINE_EVERY_MS) {
      this.#told = performance.now()
      process.stderr.write(
        `crawled ${done} of ${total} files, ${rate}/s, ${left} left: ${outcomes}\n`,
      )
    }
  }

  end(): void {
    this.#bar?.stop()
  }
}

function topOutcomes({ outcomes }: CrawlSummary): string {
  const counts = new Map<string, number>()
  for (const { outcome, files } of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + files)
  const top = [...counts].sort(([, a], [, b]) => b - a).slice(0, 4)
  return top.map(([outcome, files]) => `${outcome} ${files}`).join(', ')
}
