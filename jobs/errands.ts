import type { Config } from '../pipeline/core/config.ts'
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
}

export function runErrand<Name extends ErrandName>(
  errand: ErrandOf<Name>,
  deps: ErrandDeps,
): Promise<ErrandAnswers[Name]> {
  const run = runners[errand.errand] as Runners[Name]
  return run(errand, deps)
}
