import pLimit from 'p-limit'
import { getAt } from '../core/present.ts'
import { traceWork } from '../core/trace.ts'
import { parseUrl } from '../core/url.ts'
import type { Cause, Fetcher } from '../fetch/http.ts'
import {
  type CrawlTarget,
  isUrl,
  type Observation,
  toSourceKey,
  toUrl,
} from '../model/observation.ts'
import { type ProbeDeps, probeAgent } from './agent-probe.ts'
import { crawlAdsTxt, crawlSource } from './crawl-source.ts'

type AgentFetcher = Pick<Fetcher, 'call' | 'fetchDocument'>

export interface BatchDeps extends ProbeDeps {
  fetcher: AgentFetcher & Pick<Fetcher, 'reserve' | 'refund'> & { for(cause: Cause): AgentFetcher }
  /** Limits how many hosts are crawled at a time; shared by all batches of the process. */
  limitHost: HostLimiter
  /**
   * Stops the batch when it is aborted: no further file is requested, and open requests are finished. A
   * probe’s `signal` would cut requests off, so that an agent seems silent.
   */
  stopping?: AbortSignal
}

/** Runs the crawl of a host as soon as fewer than the maximum are running. */
type HostLimiter = (isLarge: boolean, crawlHost: () => Promise<void>) => Promise<void>

/** Hosts with large files that are crawled at a time: all of these files together must fit into memory. */
const LARGE_HOSTS_MAX = 16

/** Creates a limiter of the hosts that a process crawls at a time; fewer of those with large files. */
export function createHostLimiter(hosts: number): HostLimiter {
  const any = pLimit(hosts)
  const large = pLimit(LARGE_HOSTS_MAX)
  return (isLarge, crawlHost) => (isLarge ? large(() => any(crawlHost)) : any(crawlHost))
}

/**
 * Tells whether a target may be large: a file that another one points to may be four times as large as one
 * at a well-known place.
 */
function mayBeLarge({ kind, location }: CrawlTarget): boolean {
  return kind === 'adagents.json' && isUrl(location)
}

/** Crawls a batch and returns the observations in the order of the targets. */
export async function crawlBatch(
  targets: readonly CrawlTarget[],
  deps: BatchDeps,
): Promise<Observation[]> {
  const observations: Observation[][] = targets.map(() => [])
  await crawlEach(
    targets,
    deps,
    (observation, index) => void getAt(observations, index).push(observation),
  )
  return observations.flat()
}

/**
 * Crawls every target once: files of one host in sequence over one connection, many hosts in parallel. A
 * host whose agents timed out several times in a row is not asked for further ones. `receive` gets each
 * observation with the index of its target; the observation of an ads.txt that was read in place of a missing
 * adagents.json follows with the same index. The host continues when `receive` resolves. Rejects only for an
 * internal error, after everything that was running has ended.
 */
export async function crawlEach(
  targets: readonly CrawlTarget[],
  deps: BatchDeps,
  receive: (observation: Observation, index: number) => Promise<void> | void,
): Promise<void> {
  const requested = new Set(targets.map(toSourceKey))
  let isStopped = false
  const crawlHost = async (indexes: readonly number[]) => {
    let unanswered = 0
    for (const index of indexes) {
      if (isStopped || deps.stopping?.aborted) return
      const target = getAt(targets, index)
      const isSkipped = target.kind === 'agent' && unanswered >= SILENT_AGENTS_MAX
      const observation = isSkipped
        ? skipSilentAgent(target, deps)
        : await crawlTarget(target, deps)
      unanswered = observation.outcome === 'timeout' ? unanswered + 1 : 0
      await receive(observation, index)
      const instead = await crawlAdsTxt(observation, requested, deps)
      if (instead) await receive(instead, index)
    }
  }
  const crawls = groupByHost(targets).map(indexes => {
    const isLarge = indexes.some(index => mayBeLarge(getAt(targets, index)))
    return deps
      .limitHost(isLarge, () => crawlHost(indexes))
      .catch(error => {
        isStopped = true
        throw error
      })
  })
  const failed = (await Promise.allSettled(crawls)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/**
 * Silent agents after which the rest of a host is skipped: a host with hundreds of them would hold up its
 * batch for hours.
 */
const SILENT_AGENTS_MAX = 5

function skipSilentAgent({ kind, location }: CrawlTarget, { clock }: BatchDeps): Observation {
  return { kind, location, observed_at: clock.now(), outcome: 'timeout' }
}

function crawlTarget(target: CrawlTarget, deps: BatchDeps): Promise<Observation> {
  const { kind, location } = target
  return traceWork(`crawl ${kind}`, { location }, async span => {
    const observation = await (kind === 'agent' ? probeWithinBudget : crawlSource)(target, deps)
    span.setAttributes({ outcome: observation.outcome })
    return observation
  })
}

/** Typical number of requests of a probe. */
const PROBE_REQUESTS = 8

/** Probes an agent once the request budget allows a whole probe, since half of one would be useless. */
async function probeWithinBudget(target: CrawlTarget, deps: BatchDeps): Promise<Observation> {
  const { kind, location } = target
  const reservation = await deps.fetcher.reserve(location, PROBE_REQUESTS)
  if ('outcome' in reservation) {
    const { outcome, retryAfterSeconds: retry_after_s } = reservation
    const observation = { kind, location, observed_at: deps.clock.now(), outcome }
    return retry_after_s === undefined ? observation : { ...observation, retry_after_s }
  }
  const fetcher = deps.fetcher.for({ kind: 'crawl', ticket: reservation })
  try {
    return await probeAgent(target, { ...deps, fetcher })
  } finally {
    deps.fetcher.refund(reservation)
  }
}

/** Groups positions in the list of targets by host. */
function groupByHost(targets: readonly CrawlTarget[]): number[][] {
  const groups = new Map<string, number[]>()
  targets.forEach((target, index) => {
    const host = getHost(toUrl(target))
    const group = groups.get(host)
    if (group) group.push(index)
    else groups.set(host, [index])
  })
  return [...groups.values()]
}

/** Returns the host of a URL. A text that is not a URL is its own group; the fetcher will refuse it. */
function getHost(url: string): string {
  return parseUrl(url)?.host ?? url
}
