import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { buildFetcherOptions } from '../../jobs/crawler/fetcher-options.ts'
import type { Question } from '../../jobs/indexer/questions.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { getOrThrow } from '../../pipeline/core/present.ts'
import { crawlBatch, createHostLimiter } from '../../pipeline/crawl/crawl-batch.ts'
import { createFetcher } from '../../pipeline/fetch/http.ts'
import type { Answer, Operation } from '../../pipeline/model/submission.ts'
import { readObservation } from '../../pipeline/parse/read-observation.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import type { Sqlite } from '../../pipeline/store/sqlite.ts'
import { type CrawlSummary, crawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import { loadDueTargets } from '../../pipeline/writer/crawl/due-files.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { nothingTakenDown, TakedownList } from '../../pipeline/writer/takedown/takedown-list.ts'
import { toCommandSentence } from '../command-line/command-sentence.ts'
import { type DomainsFile, describeRefused, readDomainsFile } from './domains-file.ts'
import { readSettings, warnOfProtocolName } from './environment.ts'
import { SilenceWatch } from './frozen-indexer.ts'
import { findOrOpen } from './open-registry.ts'
import { assertCrawlerAnswers, Progress, SLOW_HOST_S } from './progress.ts'
import { readRecord } from './reading.ts'
import {
  assertDiskSpace,
  connectRunning,
  identifyUser,
  retryWhileUnavailable,
  unwrapOrExit,
} from './running.ts'
import { fetchSupervisorProblems } from './supervisor-problems.ts'
import { describeTakenDown } from './takedown-confirmation.ts'
import { formatOutcome, formatTotals } from './text.ts'

const DOMAINS_A_SUBMISSION = 5_000
/** Time for which the registry may be unavailable before the command gives up. */
const PATIENCE_MS = 360_000
/** Time for a summary. The indexer may have been killed over the question, which then nobody answers: it is asked again. */
const SUMMARY_MS = 60_000
const FILES_A_ROUND = 5_000
const POLL_MS = 1_000

/**
 * Crawls domains now, in the running registry or in this process, and prints a summary. They are given
 * by name, by the standard input (`-`), by a file, or by several of these.
 */
export async function crawl(
  named: readonly (Domain | '-')[],
  options: { domains?: string; json?: boolean },
): Promise<void> {
  const config = readSettings()
  if (named.length === 0 && options.domains === undefined) {
    unwrapOrExit({ refused: 'Give at least one domain, or --domains FILE' })
  }
  const { domains, refused } = await readDomains(named, options.domains)
  const { run, sequencer } = await findOrOpen(config, { begins: true, writes: true })
  if (!run) warnOfProtocolName(config)
  const summary = run
    ? await crawlInRunning(await connectWatched(run, config), domains, {
        again: true,
        patienceMs: PATIENCE_MS,
        endsWithoutCrawler: true,
        tellOfCrawler: () => tellOfCrawler(config),
      })
    : await crawlAlone(sequencer, config, domains)
  const taken_down = readRecord(({ record }) => listTakenDown(record, domains))
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ domains: domains.length, refused, taken_down, ...summary })}\n`,
    )
  else
    printSummary(
      domains.length,
      [...describeRefused(refused), ...taken_down.map(describeNotCrawled)],
      summary,
    )
  const isAllTakenDown = domains.length > 0 && taken_down.length === domains.length
  if (refused.length > 0 || isAllTakenDown) process.exitCode = 1
}

/** Connects to the indexer, and tells while that makes no progress. A wait for what a full disk stops ends at once. */
async function connectWatched(run: RunFile, config: Config): Promise<WriterClient> {
  assertDiskSpace(config)
  const writer = await connectRunning(run, 'crawl', { isPatient: true })
  const paths = resolvePaths(config.DATA_DIR)
  const watch = new SilenceWatch(paths, text => process.stderr.write(`${text}\n`))
  const during = <Result>(answer: Promise<Result>): Promise<Result> =>
    watch.during(answer).catch(error => {
      assertDiskSpace(config)
      throw error
    })
  return {
    ...writer,
    submit: (...args) => during(writer.submit(...args)),
    ask: (...args) => during(writer.ask(...args)),
  }
}

/** Tells which crawler does not answer, as the running `start` says. */
async function tellOfCrawler({ DATA_DIR }: Config): Promise<void> {
  const reported = await fetchSupervisorProblems(resolvePaths(DATA_DIR))
  for (const problem of reported?.blocking ?? [])
    if (problem.startsWith('the crawler ')) process.stderr.write(`${toCommandSentence(problem)}\n`)
}

/** Lists the domains that are not crawled, each with the one that was taken down. */
export function listTakenDown(
  record: Sqlite | undefined,
  domains: readonly Domain[],
): TakenDownDomain[] {
  const { takenDown } =
    record === undefined ? { takenDown: nothingTakenDown } : new TakedownList(record)
  return domains.flatMap(domain => {
    const taken_down = takenDown.find(domain)
    return taken_down === undefined ? [] : [{ domain, taken_down }]
  })
}

interface TakenDownDomain {
  domain: Domain
  taken_down: string
}

export function describeNotCrawled({ domain, taken_down }: TakenDownDomain): string {
  return `Did not crawl ${domain}: ${describeTakenDown(domain, taken_down)}`
}

async function readDomains(
  named: readonly (Domain | '-')[],
  file: string | undefined,
): Promise<DomainsFile> {
  const domains = new Set(named.filter((name): name is Domain => name !== '-'))
  const refused: string[] = []
  const inputs = [...(file === undefined ? [] : [file]), ...(named.includes('-') ? ['-'] : [])]
  for (const input of new Set(inputs)) {
    const listed = await readDomainsFile(input)
    for (const domain of listed.domains) domains.add(domain)
    refused.push(...listed.refused)
  }
  return { domains: [...domains], refused }
}

export interface CrawlInRunningOptions {
  /** Crawls files that are not due as well. */
  again: boolean
  /** Time for which the registry may be unavailable; the crawl itself has no limit. */
  patienceMs: number
  /** Ends where no crawler answers for long; without it, the wait has no end. */
  endsWithoutCrawler?: boolean
  /** Tells once what is wrong with the crawler, where no file was done for longer than most hosts take. */
  tellOfCrawler?: () => Promise<void>
}

/** Adds domains to a running registry, waits until each of their files was tried, and publishes. */
export async function crawlInRunning(
  writer: WriterClient,
  domains: Domain[],
  { again, patienceMs, endsWithoutCrawler = false, tellOfCrawler }: CrawlInRunningOptions,
): Promise<CrawlSummary> {
  const since = systemClock.now()
  const submit = (operation: Operation) => writer.submit(operation, { by: identifyUser() })
  await addDomains(submit, domains, again, patienceMs)
  const progress = new Progress()
  let tell = tellOfCrawler
  for (let isDone = false; ; ) {
    const question: Question = { ask: 'crawl_summary', since, withFaults: isDone }
    const summary: CrawlSummary = await retryWhileUnavailable(
      () => writer.ask<CrawlSummary>(question, SUMMARY_MS),
      patienceMs,
    )
    const { idleS } = progress.show(summary)
    if (summary.waiting > 0 && idleS >= SLOW_HOST_S) {
      await tell?.()
      tell = undefined
    }
    if (endsWithoutCrawler && summary.waiting > 0) assertCrawlerAnswers(idleS)
    if (isDone) {
      progress.end()
      await retryWhileUnavailable(() => writer.ask({ ask: 'publish' }), patienceMs)
      await writer.close()
      return summary
    }
    isDone = summary.waiting === 0
    if (!isDone) await setTimeout(POLL_MS)
  }
}

async function crawlAlone(
  sequencer: Sequencer,
  config: Config,
  domains: Domain[],
): Promise<CrawlSummary> {
  try {
    const since = systemClock.now()
    await addDomains(operation => submitAlone(sequencer, operation), domains, true)
    await crawlRounds(sequencer, config, since)
    await sequencer.publish()
    await sequencer.searchable()
    return await crawlSummary(sequencer.index, since, systemClock.now(), { withFaults: true })
  } finally {
    await sequencer.close()
  }
}

/**
 * Adds domains in order of their names, the order of keys in the serving store: domains that are
 * crawled together then lie together there, whatever order the list has. Adding a domain twice is
 * harmless, so a registry that is unavailable is simply asked again.
 */
export async function addDomains(
  submit: (operation: Operation) => Promise<Answer>,
  domains: readonly Domain[],
  again: boolean,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const sorted = domains.toSorted()
  for (let start = 0; start < sorted.length; start += DOMAINS_A_SUBMISSION) {
    const batch = sorted.slice(start, start + DOMAINS_A_SUBMISSION)
    await retryWhileUnavailable(
      () => submit({ op: 'domains.add', domains: batch, again }),
      patienceMs,
    )
  }
}

async function submitAlone(sequencer: Sequencer, operation: Operation): Promise<Answer> {
  const submission_id = randomUUID()
  const submissions = [{ submission_id, operation, by: identifyUser() }]
  const { answers } = await sequencer.commit({ observations: [], submissions })
  return getOrThrow(answers, submission_id)
}

/** Fetches the files that became due since then and those they lead to, until none is left. */
async function crawlRounds(sequencer: Sequencer, config: Config, since: number): Promise<void> {
  const log = createLog('crawl', 'error')
  const fetcher = createFetcher(buildFetcherOptions(config, systemClock, log))
  const deps = {
    fetcher,
    clock: systemClock,
    limits: config.LIMITS,
    protocolName: config.PROTOCOL_NAME,
    limitHost: createHostLimiter(config.CRAWL_CONCURRENCY),
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

function printSummary(domains: number, left: readonly string[], summary: CrawlSummary): void {
  const lines = [
    countThings(domains, 'domain'),
    ...left,
    ...summary.outcomes.map(formatOutcome),
    ...summary.faults.map(
      ({ times, severity, field, message }) =>
        `${String(times).padStart(5)} × ${severity}${field === '' ? '' : `, first in ${field}`}: ${message}`,
    ),
    `index: ${formatTotals(summary)}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
