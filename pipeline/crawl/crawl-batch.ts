import { type CrawlTarget, type Observation, urlOf } from '../model/observation.ts'
import { type CrawlDeps, crawlSource } from './crawl-source.ts'

export interface BatchDeps extends CrawlDeps {
  /** Hosts at a time. */
  concurrency: number
  onObservation?: ((observation: Observation) => unknown) | undefined
  /** When it fires, no further file is asked for; what is under way is finished and returned. */
  signal?: AbortSignal | undefined
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
  const hosts = groupByHost(targets)[Symbol.iterator]()
  let stopped = false
  const work = async () => {
    for (const places of hosts) {
      for (const place of places) {
        if (stopped || deps.signal?.aborted) return
        const observation = await crawlSource(targets[place]!, deps)
        observations[place] = observation
        deps.onObservation?.(observation)
      }
    }
  }
  const workers = Array.from({ length: Math.max(1, deps.concurrency) }, () =>
    work().catch(error => {
      stopped = true
      throw error
    }),
  )
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return observations.filter(observation => observation !== undefined)
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
