import pLimit from 'p-limit'
import {
  type CrawlTarget,
  isUrl,
  type Observation,
  sourceKey,
  urlOf,
} from '../model/observation.ts'
import { type ProbeDeps, probeAgent } from './agent-probe.ts'
import { crawlInstead } from './crawl-instead.ts'
import { crawlSource } from './crawl-source.ts'

export interface BatchDeps extends ProbeDeps {
  /** Hosts at a time, of this batch and of every other one that shares it. */
  atOnce: AtOnce
  /** When it fires, no further file is asked for; what is under way is finished and returned. */
  signal?: AbortSignal
}

type AtOnce = (isLarge: boolean, crawlHost: () => Promise<void>) => Promise<void>

/** Of files that may be the largest: all of them together have to fit into memory. */
const LARGE_AT_ONCE = 16

/** How many hosts a process crawls at a time, and fewer of those whose files may be the largest. */
export function hostsAtOnce(hosts: number): AtOnce {
  const any = pLimit(hosts)
  const large = pLimit(LARGE_AT_ONCE)
  return (isLarge, crawlHost) => (isLarge ? large(() => any(crawlHost)) : any(crawlHost))
}

/** A file that another one points to may be four times as large as one at its own place. */
function mayBeLarge({ kind, location }: CrawlTarget): boolean {
  return kind === 'adagents.json' && isUrl(location)
}

/** What `crawlEach` saw, in the order of the targets. */
export async function crawlBatch(
  targets: readonly CrawlTarget[],
  deps: BatchDeps,
): Promise<Observation[]> {
  const observations: Observation[][] = targets.map(() => [])
  await crawlEach(targets, deps, (seen, place) => void observations[place]!.push(seen))
  return observations.flat()
}

/**
 * Crawls every target once: the files of one host one after the other, so that they share a
 * connection, and many hosts at a time. A host that was silent about several of its agents in a row is
 * not asked for the others this time. `put` is given what was seen as soon as it is there, with the place
 * of its target, and behind a missing file that which stands in for it, if there is any; a host is
 * asked on when it resolves. Rejects only for a mistake of ours, after everything under way has ended.
 */
export async function crawlEach(
  targets: readonly CrawlTarget[],
  deps: BatchDeps,
  put: (seen: Observation, place: number) => Promise<void> | void,
): Promise<void> {
  const named = new Set(targets.map(sourceKey))
  let isStopped = false
  const crawlHost = async (places: readonly number[]) => {
    let silent = 0
    for (const place of places) {
      if (isStopped || deps.signal?.aborted) return
      const target = targets[place]!
      const isGivenUp = target.kind === 'agent' && silent >= SILENT_AGENTS
      const seen = isGivenUp ? silence(target, deps) : await lookAt(target, deps)
      silent = seen.outcome === 'timeout' ? silent + 1 : 0
      await put(seen, place)
      const instead = await crawlInstead(seen, named, deps)
      if (instead) await put(instead, place)
    }
  }
  const work = groupByHost(targets).map(places => {
    const isLarge = places.some(place => mayBeLarge(targets[place]!))
    return deps
      .atOnce(isLarge, () => crawlHost(places))
      .catch(error => {
        isStopped = true
        throw error
      })
  })
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** A host with hundreds of agents that never answers would hold up its batch for hours. */
const SILENT_AGENTS = 5

function silence({ kind, location }: CrawlTarget, { clock }: BatchDeps): Observation {
  return { kind, location, observed_at: clock.now(), outcome: 'timeout' }
}

function lookAt(target: CrawlTarget, deps: BatchDeps): Promise<Observation> {
  return target.kind === 'agent' ? probeAgent(target, deps) : crawlSource(target, deps)
}

/** Places in the list of targets, by host. */
function groupByHost(targets: readonly CrawlTarget[]): number[][] {
  const groups = new Map<string, number[]>()
  targets.forEach((target, place) => {
    const host = hostOf(urlOf(target))
    const group = groups.get(host)
    if (group) group.push(place)
    else groups.set(host, [place])
  })
  return [...groups.values()]
}

/** A target that is no address is a group of its own: the fetcher refuses it. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
