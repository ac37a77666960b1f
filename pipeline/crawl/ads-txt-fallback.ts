import { isMissing } from '../core/outcomes.ts'
import type { AdsTxtDocument } from '../model/documents/index.ts'
import { isUrl, type Observation, type Source, toSourceKey } from '../model/observation.ts'
import { readObservation } from '../parse/read-observation.ts'
import { type CrawlDeps, crawlSource } from './crawl-source.ts'

/**
 * Fetches the ads.txt of a domain that has no adagents.json, at once, while the connection is
 * there. Undefined unless it names another domain: of the many domains that have neither, nothing
 * is kept. One that is known already is a target of its own; `named` are the targets of this batch.
 */
export async function crawlInstead(
  missing: Observation,
  named: ReadonlySet<string>,
  deps: CrawlDeps,
): Promise<Observation | undefined> {
  const { kind, location, outcome, after_seq } = missing
  if (kind !== 'adagents.json' || isUrl(location) || !isMissing(outcome)) return undefined
  const adsTxt: Source = { kind: 'ads.txt', location }
  if (named.has(toSourceKey(adsTxt))) return undefined
  const target = after_seq === undefined ? adsTxt : { ...adsTxt, after_seq }
  const observation = readObservation(await crawlSource(target, deps), deps.limits)
  const manager = (observation.document as AdsTxtDocument | undefined)?.manager_domain
  return manager === undefined || manager === location ? undefined : observation
}
