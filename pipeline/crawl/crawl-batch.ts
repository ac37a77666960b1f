import pLimit, { type LimitFunction } from 'p-limit'
import { type CrawlTarget, type Observation, urlOf } from '../model/observation.ts'
import { type ProbeDeps, probeAgent } from './agent-probe.ts'
import { crawlSource } from './crawl-source.ts'

export interface BatchDeps extends ProbeDeps {
  /** Hosts at a time, of this batch and of every other one that shares it. */
  atOnce: LimitFunction
  onObservation?: (observation: Observation) => void
  /** When it fires, no further file is asked for; what is under way is finished and returned. */
  signal?: AbortSignal
}

/** How many hosts a process crawls at a time. */
export function hostsAtOnce(hosts: number): LimitFunction {
  return pLimit(hosts)
}

/**
 * Crawls every target once: the files of one host one after the other, so that they share a
 * connection, and many hosts at a time. Observations come back in the order of their targets. It
 * rejects only for a mistake of ours, after everything under way has ended.
 */
export async function crawlBatch(
  targets: readonly CrawlTarget[],
  deps: BatchDeps,
): Promise<Observation[]> {
  const observations: (Observation | undefined)[] = targets.map(() => undefined)
  let isStopped = false
  const crawlHost = async (places: readonly number[]) => {
    for (const place of places) {
      if (isStopped || deps.signal?.aborted) return
      const observation = await lookAt(targets[place]!, deps)
      observations[place] = observation
      deps.onObservation?.(observation)
    }
  }
  const work = groupByHost(targets).map(places =>
    deps.atOnce(crawlHost, places).catch(error => {
      isStopped = true
      throw error
    }),
  )
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return observations.filter(observation => observation !== undefined)
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
