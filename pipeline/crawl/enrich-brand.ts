import type { Domain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { Ask, FetchedOk, Fetcher } from '../fetch/http.ts'
import type { Enrichment } from '../model/enrichment.ts'

export interface EnrichDeps {
  fetcher: Pick<Fetcher, 'fetchDocument'>
  limits: Limits
}

/** A fetch within the time that is left for the whole question; undefined unless it is a 200. */
export type Read = (url: string, ask: Omit<Ask, 'deadlineMs'>) => Promise<FetchedOk | undefined>

/** Somebody who may know a brand. What cannot be had, or says nothing, is undefined. */
export interface BrandProvider {
  enrich(domain: Domain, read: Read, limits: Limits): Promise<Enrichment | undefined>
}

/** Asks one provider after the other about a brand, until one knows it or the time is over. */
export async function enrichBrand(
  domain: Domain,
  providers: readonly BrandProvider[],
  { fetcher, limits }: EnrichDeps,
): Promise<Enrichment | undefined> {
  let leftMs = limits.enrichMs
  const read: Read = async (url, ask) => {
    if (leftMs <= 0) return undefined
    const started = performance.now()
    const fetched = await fetcher.fetchDocument(url, { ...ask, deadlineMs: Math.ceil(leftMs) })
    leftMs -= performance.now() - started
    return fetched.kind === 'ok' ? fetched : undefined
  }
  for (const provider of providers) {
    const found = await provider.enrich(domain, read, limits)
    if (found !== undefined) return found
  }
  return undefined
}
