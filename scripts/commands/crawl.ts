import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { WriterClient } from '../../jobs/api-client/enqueue.ts'
import { buildFetcherOptions } from '../../jobs/crawler/crawler.ts'
import type { Question } from '../../jobs/indexer/questions.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { crawlBatch, limitHostsAtOnce } from '../../pipeline/crawl/crawl-batch.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import type { Answer, Operation } from '../../pipeline/model/submission.ts'
import { readObservation } from '../../pipeline/parse/read-observation.ts'
import { type CrawlSummary, crawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import { loadDueTargets } from '../../pipeline/writer/crawl/frontier.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { describeRefused, readDomainsFile } from './domains-file.ts'
import { readSettings, warnOfProtocolName } from './environment.ts'
import { Progress } from './progress.ts'
import {
  askPatiently,
  connectWriter,
  findRunningRegistry,
  identifyAsker,
  openAlone,
} from './running.ts'

const DOMAINS_A_SUBMISSION = 5_000
/** A registry that cannot answer for longer than this is given up. */
const PATIENCE_MS = 120_000
const FILES_A_ROUND = 5_000
const POLL_MS = 1_000

/** Crawls the domains of a file now, in the running registry or alone, and prints what came of it. */
export async function crawl(options: { domains: string; json?: boolean }): Promise<void> {
  const config = readSettings()
  const { domains, refused } = await readDomainsFile(options.domains)
  const run = await findRunningRegistry(config)
  if (!run) warnOfProtocolName(config)
  const summary = run
    ? await crawlThere(connectWriter(run.redis_url, 'crawl'), domains, {
        again: true,
        patienceMs: PATIENCE_MS,
      })
    : await crawlHere(config, domains)
  if (options.json)
    process.stdout.write(`${JSON.stringify({ domains: domains.length, refused, ...summary })}\n`)
  else printSummary(domains.length, refused, summary)
  if (refused.length > 0) process.exitCode = 1
}

export interface CrawlThereOptions {
  /** Whether files that are not due are crawled as well. */
  again: boolean
  /** How long the registry may be unable to answer; the crawl itself may take as long as it takes. */
  patienceMs: number
}

/** Adds the domains to a running registry, waits until each of their files was tried, publishes. */
export async function crawlThere(
  writer: WriterClient,
  domains: Domain[],
  { again, patienceMs }: CrawlThereOptions,
): Promise<CrawlSummary> {
  const since = systemClock.now()
  const submit = (operation: Operation) => writer.submit(operation, { by: identifyAsker() })
  await addDomains(submit, domains, again, patienceMs)
  const progress = new Progress()
  for (let isDone = false; ; ) {
    const question: Question = { ask: 'crawl_summary', since, withFaults: isDone }
    const summary: CrawlSummary = await askPatiently(
      () => writer.ask<CrawlSummary>(question),
      patienceMs,
    )
    progress.show(summary)
    if (isDone) {
      progress.end()
      await askPatiently(() => writer.ask({ ask: 'publish' }), patienceMs)
      await writer.close()
      return summary
    }
    isDone = summary.waiting === 0
    if (!isDone) await setTimeout(POLL_MS)
  }
}

async function crawlHere(config: Config, domains: Domain[]): Promise<CrawlSummary> {
  const sequencer = await openAlone(config, { begins: true })
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
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const sorted = domains.toSorted()
  for (let start = 0; start < sorted.length; start += DOMAINS_A_SUBMISSION) {
    const some = sorted.slice(start, start + DOMAINS_A_SUBMISSION)
    await askPatiently(() => submit({ op: 'domains.add', domains: some, again }), patienceMs)
  }
}

async function submitHere(sequencer: Sequencer, operation: Operation): Promise<Answer> {
  const submission_id = randomUUID()
  const submissions = [{ submission_id, operation, by: identifyAsker() }]
  const { answers } = await sequencer.commit({ observations: [], submissions })
  return answers.get(submission_id)!
}

/** Fetches what is due since then, and what that leads to, until nothing is. */
async function crawlRounds(sequencer: Sequencer, config: Config, since: number): Promise<void> {
  const log = createLog('crawl', 'error')
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, log))
  const deps = {
    fetcher,
    clock: systemClock,
    limits: config.LIMITS,
    protocolName: config.PROTOCOL_NAME,
    atOnce: limitHostsAtOnce(config.CRAWL_CONCURRENCY),
  }
  const progress = new Progress()
  try {
    for (;;) {
      const now = systemClock.now()
      const targets = await loadDueTargets(sequencer.index, now, FILES_A_ROUND, { since })
      if (targets.length === 0) break
      const observed = await crawlBatch(targets, deps)
      const observations = observed.map(observation => readObservation(observation, config.LIMITS))
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
    ...describeRefused(refused),
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
