import type { Domain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { FetchedOk, Fetcher, FetchOptions } from '../fetch/http.ts'
import type { Enrichment } from '../model/enrichment.ts'

export interface EnrichDeps {
  fetcher: Pick<Fetcher, 'fetchDocument'>
  limits: Limits
}

/** A fetch within the remaining time of the whole enrichment; undefined unless it is a 200. */
export type ReadUrl = (
  url: string,
  ask: Omit<FetchOptions, 'deadlineMs'>,
) => Promise<FetchedOk | undefined>

/** Represents a source of brand facts. Facts that are unavailable or empty are undefined. */
export interface BrandProvider {
  enrich(domain: Domain, read: ReadUrl, limits: Limits): Promise<Enrichment | undefined>
}

/** Enrichment of a brand; `throttled`: there is none, and not every provider could be asked. */
export interface BrandEnriched {
  enrichment: Enrichment | null
  throttled?: true
}

/** Asks one provider after the other about a brand, until one knows it or the time is over. */
export async function enrichBrand(
  domain: Domain,
  providers: readonly BrandProvider[],
  { fetcher, limits }: EnrichDeps,
): Promise<BrandEnriched> {
  let remainingMs = limits.enrichMs
  let isDeferred = false
  const read: ReadUrl = async (url, ask) => {
    if (remainingMs <= 0) return undefined
    const started = performance.now()
    const fetched = await fetcher.fetchDocument(url, { ...ask, deadlineMs: Math.ceil(remainingMs) })
    remainingMs -= performance.now() - started
    if (fetched.kind === 'failed' && fetched.outcome === 'deferred') isDeferred = true
    return fetched.kind === 'ok' ? fetched : undefined
  }
  for (const provider of providers) {
    const enrichment = await provider.enrich(domain, read, limits)
    if (enrichment !== undefined) return { enrichment }
  }
  return isDeferred ? { enrichment: null, throttled: true } : { enrichment: null }
}
