import type { Config } from '../pipeline/core/config.ts'
import { brandfetch } from '../pipeline/crawl/brandfetch.ts'
import { type BrandProvider, enrichBrand } from '../pipeline/crawl/enrich-brand.ts'
import { homePage } from '../pipeline/crawl/home-page-provider.ts'
import type { Fetcher } from '../pipeline/fetch/http.ts'
import type { ErrandAnswers, ErrandName, ErrandOf } from '../pipeline/model/errand.ts'

export interface ErrandDeps {
  fetcher: Fetcher
  config: Config
}

type Runners = {
  [Name in ErrandName]: (errand: ErrandOf<Name>, deps: ErrandDeps) => Promise<ErrandAnswers[Name]>
}

/** One runner for each errand; each ends by itself within the time that its asker waits. */
const runners: Runners = {
  lookup_host: async ({ host }, { fetcher }) => ({ host: await fetcher.lookupHost(host) }),
  enrich_brand: async ({ domain }, { fetcher, config }) => ({
    enrichment:
      (await enrichBrand(domain, providersOf(config), { fetcher, limits: config.LIMITS })) ?? null,
  }),
}

/** Who is asked about a brand, the best informed first. */
function providersOf({ BRANDFETCH_KEY: key, BRANDFETCH_URL: url }: Config): BrandProvider[] {
  return key === undefined ? [homePage] : [brandfetch({ url, key }), homePage]
}

export function runErrand<Name extends ErrandName>(
  errand: ErrandOf<Name>,
  deps: ErrandDeps,
): Promise<ErrandAnswers[Name]> {
  const run = runners[errand.errand] as Runners[Name]
  return run(errand, deps)
}
