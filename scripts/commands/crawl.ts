import { randomUUID } from 'node:crypto'
import { fetcherOptionsOf } from '../../jobs/crawler.ts'
import type { Desk } from '../../jobs/enqueue.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { crawlBatch, hostsAtOnce } from '../../pipeline/crawl/crawl-batch.ts'
import { readObservation } from '../../pipeline/crawl/read-observation.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import { type CrawlSummary, crawlSummary } from '../../pipeline/index/crawl-summary.ts'
import { dueTargets } from '../../pipeline/index/frontier.ts'
import type { Sequencer } from '../../pipeline/index/sequencer.ts'
import type { Answer, Operation } from '../../pipeline/model/submission.ts'
import { readDomainsFile } from './domains-file.ts'
import { asTyped, readSettings } from './environment.ts'
import { Progress } from './progress.ts'
import { deskAt, openAlone, runningRegistry, whoTypes } from './running.ts'

const DOMAINS_A_SUBMISSION = 5_000
const TRIES = 10
const FILES_A_ROUND = 5_000
const POLL_MS = 1_000

/** Crawls the domains of a file now, in the running registry or alone, and prints what came of it. */
export async function crawl(options: { domains: string; json?: boolean }): Promise<void> {
  const config = readSettings()
  const { domains, refused } = await readDomainsFile(asTyped(options.domains))
  const run = await runningRegistry(config)
  const summary = run
    ? await crawlThere(deskAt(run.redis_url, 'crawl'), domains, true)
    : await crawlHere(config, domains)
  if (options.json)
    process.stdout.write(`${JSON.stringify({ domains: domains.length, refused, ...summary })}\n`)
  else printSummary(domains.length, refused, summary)
}

/** Adds the domains to a running registry, waits until each of their files was tried, publishes. */
export async function crawlThere(
  desk: Desk,
  domains: Domain[],
  again: boolean,
): Promise<CrawlSummary> {
  const since = systemClock.now()
  await addDomains(operation => desk.submit(operation, { by: whoTypes() }), domains, again)
  const progress = new Progress()
  for (let isDone = false; ; ) {
    const summary: CrawlSummary = await desk.ask({
      ask: 'crawl_summary',
      since,
      withFaults: isDone,
    })
    progress.show(summary)
    if (isDone) {
      progress.end()
      await desk.ask({ ask: 'publish' })
      await desk.close()
      return summary
    }
    isDone = summary.waiting === 0
    if (!isDone) await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

async function crawlHere(config: Config, domains: Domain[]): Promise<CrawlSummary> {
  const sequencer = await openAlone(config)
  try {
    const since = systemClock.now()
    await addDomains(operation => submitHere(sequencer, operation), domains, true)
    await crawlRounds(sequencer, config, since)
    await sequencer.publish()
    await sequencer.searchable()
    return await crawlSummary(sequencer.index, since, systemClock.now(), { withFaults: true })
  } finally {
    await sequencer.close()
  }
}

/**
 * In the order of their names, in which the serving store keeps them: what is crawled together lies
 * together there too, whatever order a list has. Adding a domain twice is adding it once, so a busy
 * registry is simply asked again.
 */
export async function addDomains(
  submit: (operation: Operation) => Promise<Answer>,
  domains: readonly Domain[],
  again: boolean,
): Promise<void> {
  const sorted = domains.toSorted()
  for (let start = 0; start < sorted.length; start += DOMAINS_A_SUBMISSION) {
    const some = sorted.slice(start, start + DOMAINS_A_SUBMISSION)
    for (let tries = 1; ; tries++) {
      try {
        await submit({ op: 'domains.add', domains: some, again })
        break
      } catch (error) {
        const isBusy = error instanceof PublicError && error.error === 'unavailable'
        if (!isBusy || tries === TRIES) throw error
      }
    }
  }
}

async function submitHere(sequencer: Sequencer, operation: Operation): Promise<Answer> {
  const submission_id = randomUUID()
  const submissions = [{ submission_id, operation, by: whoTypes() }]
  const { answers } = await sequencer.commit({ observations: [], submissions })
  return answers.get(submission_id)!
}

/** Fetches what is due since then, and what that leads to, until nothing is. */
async function crawlRounds(sequencer: Sequencer, config: Config, since: number): Promise<void> {
  const log = createLog('crawl', 'error')
  const fetcher = createFetcher(fetcherOptionsOf(config, systemClock, log))
  const deps = {
    fetcher,
    clock: systemClock,
    limits: config.LIMITS,
    protocolName: config.PROTOCOL_NAME,
    atOnce: hostsAtOnce(config.CRAWL_CONCURRENCY),
  }
  const progress = new Progress()
  try {
    for (;;) {
      const now = systemClock.now()
      const targets = await dueTargets(sequencer.index, now, FILES_A_ROUND, { since })
      if (targets.length === 0) break
      const seen = await crawlBatch(targets, deps)
      const observations = seen.map(one => readObservation(one, config.LIMITS))
      await sequencer.commit({ observations, submissions: [] })
      progress.show(await crawlSummary(sequencer.index, since, systemClock.now()))
    }
  } finally {
    progress.end()
    await fetcher.close()
  }
}

function printSummary(domains: number, refused: string[], summary: CrawlSummary): void {
  const rows = summary.outcomes.map(({ kind, outcome, files }) => [kind, outcome, String(files)])
  const lines = [
    `${domains} domains`,
    ...refused.map(line => `not a domain, line ${line}`),
    ...rows.map(
      ([kind, outcome, files]) =>
        `${kind!.padEnd(14)} ${outcome!.padEnd(18)} ${files!.padStart(8)}`,
    ),
    ...summary.faults.map(
      ({ times, severity, message }) => `${String(times).padStart(5)} × ${severity}: ${message}`,
    ),
    `index: ${summary.brands} brands, ${summary.publishers} publishers, ${summary.properties} properties, ` +
      `${summary.authorizations} authorizations, ${summary.agents} agents`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
