import pLimit from 'p-limit'
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
import { crawlInstead, crawlSource } from './crawl-source.ts'

type AgentFetcher = Pick<Fetcher, 'call' | 'fetchDocument'>

export interface BatchDeps extends ProbeDeps {
  fetcher: AgentFetcher & Pick<Fetcher, 'reserve' | 'refund'> & { for(cause: Cause): AgentFetcher }
  /** Limiter of the hosts that are crawled at a time, shared by all batches of the process. */
  atOnce: AtOnce
  /**
   * Stops the batch: no further file is requested; open requests are finished and returned. It is not a
   * probe's `signal`, which would end the probe and make an agent seem silent.
   */
  stopping?: AbortSignal
}

type AtOnce = (isLarge: boolean, crawlHost: () => Promise<void>) => Promise<void>

/** Hosts with the largest files that are crawled at once: all of these files together have to fit into memory. */
const LARGE_AT_ONCE = 16

/**
 * Limits how many hosts a process crawls at once, with fewer of those whose files may be the largest.
 */
export function limitHostsAtOnce(hosts: number): AtOnce {
  const any = pLimit(hosts)
  const large = pLimit(LARGE_AT_ONCE)
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
    (observation, index) => void observations[index]!.push(observation),
  )
  return observations.flat()
}

/**
 * Crawls every target once: files of one host in sequence over one connection, many hosts in parallel. A
 * host that did not answer for several of its agents in a row is skipped for the rest. `put` receives each
 * observation with the position of its target, followed by that of a stand-in file for a missing one; the
 * host continues when it resolves. Rejects only for an internal error, after everything that was running
 * has ended.
 */
export async function crawlEach(
  targets: readonly CrawlTarget[],
  deps: BatchDeps,
  put: (observation: Observation, index: number) => Promise<void> | void,
): Promise<void> {
  const named = new Set(targets.map(toSourceKey))
  let isStopped = false
  const crawlHost = async (indexes: readonly number[]) => {
    let unanswered = 0
    for (const index of indexes) {
      if (isStopped || deps.stopping?.aborted) return
      const target = targets[index]!
      const isSkipped = target.kind === 'agent' && unanswered >= SILENT_AGENTS_MAX
      const observation = isSkipped
        ? skipSilentAgent(target, deps)
        : await crawlTarget(target, deps)
      unanswered = observation.outcome === 'timeout' ? unanswered + 1 : 0
      await put(observation, index)
      const instead = await crawlInstead(observation, named, deps)
      if (instead) await put(instead, index)
    }
  }
  const crawls = groupByHost(targets).map(indexes => {
    const isLarge = indexes.some(index => mayBeLarge(targets[index]!))
    return deps
      .atOnce(isLarge, () => crawlHost(indexes))
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
  return target.kind === 'agent' ? probeWithDeadline(target, deps) : crawlSource(target, deps)
}

/** Typical number of requests of a probe. */
const PROBE_REQUESTS = 8

/** Probes an agent once the request budget allows a complete probe: half of one would be useless. */
async function probeWithDeadline(target: CrawlTarget, deps: BatchDeps): Promise<Observation> {
  const { kind, location } = target
  const paid = await deps.fetcher.reserve(location, PROBE_REQUESTS)
  if ('outcome' in paid) {
    const { outcome, retryAfterSeconds: retry_after_s } = paid
    const observation = { kind, location, observed_at: deps.clock.now(), outcome }
    return retry_after_s === undefined ? observation : { ...observation, retry_after_s }
  }
  const fetcher = deps.fetcher.for({ kind: 'crawl', ticket: paid })
  try {
    return await probeAgent(target, { ...deps, fetcher })
  } finally {
    deps.fetcher.refund(paid)
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

/** Returns the host of a target. Text that is no URL is a group of its own: the fetcher refuses it. */
function getHost(url: string): string {
  return parseUrl(url)?.host ?? url
}
