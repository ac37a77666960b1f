import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { CrawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import { readSettings } from './environment.ts'
import { assertRegistry, findRunningRegistry } from './open-registry.ts'
import { connectRunning, retryWhileUnavailable } from './running.ts'
import { formatOutcome } from './text.ts'

/** Time for which the registry may be unavailable before the command gives up. */
const PATIENCE_MS = 120_000
const OUTCOMES_SHOWN = 12
const CLEAR_SCREEN = '\x1b[H\x1b[2J'

interface TopOptions {
  /** Seconds between two readings. */
  interval: number
  /** Number of readings; without it the command runs until it is interrupted. */
  times?: number
}

/** Shows the crawl of a running registry as it goes: its rate, what waits, and outcomes so far. */
export async function showCrawl({ interval, times = Number.POSITIVE_INFINITY }: TopOptions) {
  const config = readSettings()
  const run = await findRunningRegistry(config)
  if (!run) {
    assertRegistry(config)
    throw new Error(`no registry is running on ${config.DATA_DIR}`)
  }
  const writer = await connectRunning(run, 'top', { isPatient: true })
  const since = systemClock.now()
  let before: { files: number; at: number } | undefined
  try {
    for (let reading = 0; reading < times; reading++) {
      if (reading > 0) await setTimeout(interval * 1_000)
      const summary = await retryWhileUnavailable(
        () => writer.ask<CrawlSummary>({ ask: 'crawl_summary', since, withFaults: false }),
        PATIENCE_MS,
      )
      const now = { files: countFiles(summary), at: performance.now() }
      const rate = before ? ((now.files - before.files) / (now.at - before.at)) * 1_000 : 0
      before = now
      const lines = describeCrawl(summary, rate)
      process.stdout.write(`${process.stdout.isTTY ? CLEAR_SCREEN : ''}${lines.join('\n')}\n`)
    }
  } finally {
    await writer.close()
  }
}

/** Describes a crawl in lines; `rate` is files a second. */
export function describeCrawl(summary: CrawlSummary, rate: number): string[] {
  const { outcomes } = summary
  return [
    `${countThings(countFiles(summary), 'file')} attempted, ${Math.round(rate)}/s, ${summary.waiting} waiting`,
    ...outcomes
      .toSorted((a, b) => b.files - a.files)
      .slice(0, OUTCOMES_SHOWN)
      .map(row => `  ${formatOutcome(row)}`),
  ]
}

function countFiles({ outcomes }: CrawlSummary): number {
  return outcomes.reduce((sum, { files }) => sum + files, 0)
}
