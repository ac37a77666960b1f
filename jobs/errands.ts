import type { Clock } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import { brandfetch } from '../pipeline/crawl/brandfetch.ts'
import { checkOwnership } from '../pipeline/crawl/check-ownership.ts'
import { type BrandProvider, enrichBrand } from '../pipeline/crawl/enrich-brand.ts'
import { homePage } from '../pipeline/crawl/home-page-provider.ts'
import type { Fetcher } from '../pipeline/fetch/http.ts'
import { askAgent } from '../pipeline/live/ask-agent.ts'
import { checkAgents } from '../pipeline/live/check-agents.ts'
import { checkOrigin } from '../pipeline/live/check-origin.ts'
import type { ProbeDeps } from '../pipeline/live/probe-deps.ts'
import { readAdagents } from '../pipeline/live/read-adagents.ts'
import { readBrand } from '../pipeline/live/read-brand.ts'
import { readIssuer } from '../pipeline/live/read-issuer.ts'
import type { ErrandAnswers, ErrandName, ErrandOf } from '../pipeline/model/errand.ts'

export interface ErrandDeps {
  fetcher: Fetcher
  clock: Clock
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
  async check_adagents({ domain, agents: wantsAgents }, deps) {
    const { LIMITS: limits } = deps.config
    const { report, agents, leftMs } = await readAdagents(domain, { ...deps, limits })
    if (!wantsAgents || !report.validation.valid || agents.length === 0) return report
    const asked = agents.slice(0, limits.validateAgents)
    const agent_cards = await checkAgents(asked, leftMs, probing(deps))
    return { ...report, agent_cards, agents_unchecked: agents.length - asked.length }
  },
  read_brand: ({ domain, seen }, deps) =>
    readBrand(domain, seen, { ...deps, limits: deps.config.LIMITS }),
  check_origin({ domain, base }, deps) {
    const { LIMITS: limits, PROTOCOL_NAME: protocolName } = deps.config
    return checkOrigin(domain, { base, protocolName }, { ...deps, limits })
  },
  read_issuer: (_, { fetcher, config }) => readIssuer(fetcher, config),
  ask_agent: ({ address, about }, deps) => askAgent(address, about, probing(deps)),
  check_ownership: async (errand, { fetcher, config }) => ({
    found: await checkOwnership(errand, {
      ...{ fetcher, limits: config.LIMITS, protocolName: config.PROTOCOL_NAME },
    }),
  }),
}

function probing({ fetcher, clock, config }: ErrandDeps): ProbeDeps {
  return { fetcher, clock, limits: config.LIMITS, protocolName: config.PROTOCOL_NAME }
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
