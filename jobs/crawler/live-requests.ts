import type { Clock } from '../../pipeline/core/clock.ts'
import { type Config, ConfigError } from '../../pipeline/core/config.ts'
import { readRegistryKeys } from '../../pipeline/core/keys/registry-keys.ts'
import type { ProbeDeps } from '../../pipeline/crawl/agent-probe.ts'
import { createBrandfetchProvider } from '../../pipeline/crawl/brandfetch.ts'
import { checkOwnership } from '../../pipeline/crawl/check-ownership.ts'
import { type BrandProvider, enrichBrand } from '../../pipeline/crawl/enrich-brand.ts'
import { createServiceProvider } from '../../pipeline/crawl/enrichment-service.ts'
import { homePage } from '../../pipeline/crawl/home-page-provider.ts'
import type { Cause, Fetcher } from '../../pipeline/fetch/http.ts'
import { askAgent } from '../../pipeline/live/ask-agent.ts'
import { checkAgents } from '../../pipeline/live/check-agents.ts'
import { checkOrigin } from '../../pipeline/live/check-origin.ts'
import { exchangeOpenIdCode } from '../../pipeline/live/exchange-openid-code.ts'
import { readAdagents } from '../../pipeline/live/read-adagents.ts'
import { readBrand } from '../../pipeline/live/read-brand.ts'
import { readIssuer } from '../../pipeline/live/read-issuer.ts'
import { readOpenIdProvider } from '../../pipeline/live/read-openid.ts'
import { readText } from '../../pipeline/live/read-text.ts'
import { sendMail } from '../../pipeline/live/send-mail.ts'
import type {
  LiveRequestAnswers,
  LiveRequestCaller,
  LiveRequestName,
  LiveRequestOf,
} from '../../pipeline/model/live/live-request.ts'
import { askReceiver } from '../../pipeline/push/ask-receiver.ts'
import { buildWebhookProfile } from '../../pipeline/signing/profile.ts'

export interface LiveRequestDeps {
  fetcher: Fetcher
  clock: Clock
  config: Config
}

type CallerCause = Extract<Cause, { kind: 'caller' }>

interface RunnerDeps extends LiveRequestDeps {
  cause: CallerCause
}

type Runners = {
  [Name in LiveRequestName]: (
    request: LiveRequestOf<Name>,
    deps: RunnerDeps,
  ) => Promise<LiveRequestAnswers[Name]>
}

/** Longest wait of the checks of a file's agents for their sites' rate limits. */
const AGENT_WAIT_MAX_MS = 1_000

/** Runners by kind of request; each ends within the time that the API waits. */
const runners: Runners = {
  lookup_host: async ({ host }, { fetcher }) => ({ host: await fetcher.lookupHost(host) }),
  enrich_brand: ({ domain }, { fetcher, config }) =>
    enrichBrand(domain, buildProviders(config), { fetcher, limits: config.LIMITS }),
  async check_adagents({ domain, agents: mustCheckAgents }, deps) {
    const { LIMITS: limits } = deps.config
    const { report, agents, remainingMs } = await readAdagents(domain, { ...deps, limits })
    if (isThrottled(report.validation.errors)) return { ...report, throttled: true }
    if (!mustCheckAgents || !report.validation.valid || agents.length === 0) return report
    const checked = agents.slice(0, limits.validateAgents)
    const fetcher = deps.fetcher.for({ ...deps.cause, maxWaitMs: AGENT_WAIT_MAX_MS })
    const agent_cards = await checkAgents(checked, remainingMs, toProbeDeps({ ...deps, fetcher }))
    return { ...report, agent_cards, agents_unchecked: agents.length - agent_cards.length }
  },
  read_text: ({ file, domain }, deps) =>
    readText(file, domain, { ...deps, limits: deps.config.LIMITS }),
  async read_brand({ domain, known }, deps) {
    const read = await readBrand(domain, known, { ...deps, limits: deps.config.LIMITS })
    const isBounded = read.resolution === null && isThrottled(read.failure.errors)
    return isBounded ? { ...read, throttled: true } : read
  },
  check_origin({ domain, base }, deps) {
    const { LIMITS: limits, PROTOCOL_NAME: protocolName } = deps.config
    return checkOrigin(domain, { base, protocolName }, { ...deps, limits })
  },
  read_issuer: (_, { fetcher, config }) => readIssuer(fetcher, config),
  read_openid: (_, { fetcher, config }) => readOpenIdProvider(fetcher, config),
  exchange_openid_code: (request, deps) => exchangeOpenIdCode(request, deps),
  send_mail: (request, { config }) => sendMail(request, config),
  ask_receiver(request, { fetcher, clock, config }) {
    const keys = readRegistryKeys(config)
    if (keys === undefined)
      throw new ConfigError(
        'REGISTRY_SIGNING_KEYS is not set: a receiver is asked with a signature.',
      )
    const signer = {
      key: keys.signers['webhook-signing'],
      profile: buildWebhookProfile(config.PROTOCOL_NAME, config.SIGNING_PROFILE),
      deriveSecrets: keys.deriveReceiverSecrets,
      now: () => clock.now(),
    }
    return askReceiver(request, { fetcher, signer, limits: config.LIMITS })
  },
  ask_agent: ({ address, about }, deps) => askAgent(address, about, toProbeDeps(deps)),
  check_ownership: (request, { fetcher, config }) =>
    checkOwnership(request, {
      fetcher,
      limits: config.LIMITS,
      protocolName: config.PROTOCOL_NAME,
    }),
}

/** Tells whether a file was not fetched because the request budget of its site is used up. */
function isThrottled(errors: readonly { code: string }[]): boolean {
  return errors.some(({ code }) => code === 'unasked')
}

function toProbeDeps({ fetcher, clock, config }: LiveRequestDeps): ProbeDeps {
  return { fetcher, clock, limits: config.LIMITS, protocolName: config.PROTOCOL_NAME }
}

/** Builds the providers of brand data, the most reliable first. */
function buildProviders(config: Config): BrandProvider[] {
  const { ENRICHMENT_URL: service, ENRICHMENT_KEY: serviceKey } = config
  const { BRANDFETCH_URL: url, BRANDFETCH_KEY: key } = config
  return [
    ...(service === undefined ? [] : [createServiceProvider({ url: service, key: serviceKey })]),
    ...(key === undefined ? [] : [createBrandfetchProvider({ url, key })]),
    homePage,
  ]
}

/** Requests to identity providers in the settings. */
const ownRequests: ReadonlySet<LiveRequestName> = new Set([
  'read_issuer',
  'read_openid',
  'exchange_openid_code',
])

/**
 * Runs a live request; the requests it causes are counted for its caller. The identity provider
 * comes from the settings and is never limited.
 */
export function runLiveRequest<Name extends LiveRequestName>(
  request: LiveRequestOf<Name>,
  { caller }: LiveRequestCaller,
  deps: LiveRequestDeps,
): Promise<LiveRequestAnswers[Name]> {
  const cause: CallerCause = { kind: 'caller', ...(caller !== undefined && { caller }) }
  const fetcher = deps.fetcher.for(ownRequests.has(request.kind) ? { kind: 'operator' } : cause)
  const run = runners[request.kind] as Runners[Name]
  return run(request, { ...deps, fetcher, cause })
}
