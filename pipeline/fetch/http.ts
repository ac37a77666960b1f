import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { parseRequestUrl } from '../core/url.ts'
import { buildUserAgent, PRODUCT } from '../core/user-agent.ts'
import { type Context, NO_ADDRESS, sendPost } from './call.ts'
import { createDial } from './connect.ts'
import { Connections } from './connections.ts'
import { createResolver, type Resolver, type TxtAnswer } from './dns.ts'
import { type Failure, timedOut } from './failures.ts'
import { type FetchMeter, findRefusalReason, refuseRequest, silentMeter } from './fetch-meter.ts'
import type { FetchOptions, FetchResult } from './fetch-result.ts'
import { HostBackoff } from './host-backoff.ts'
import { createFailedFetch, interpretResponse } from './interpret-response.ts'
import { Politeness } from './politeness.ts'
import type { PostOptions, PostResult } from './post-result.ts'
import { isRedirect, resolveHop } from './redirects.ts'
import { type Cause, RequestBudget, type RequestRates, type Ticket } from './request-budget.ts'
import { Robots } from './robots.ts'
import { createSigner, type SignerOptions } from './signature.ts'
import { checkHost, checkUrl } from './ssrf-guard.ts'
import { createLocalBuckets, type TokenBuckets } from './token-buckets.ts'
import { Transport, type TransportRequest } from './transport.ts'

export type { TxtAnswer } from './dns.ts'
export type {
  FetchedOk,
  FetchFailed,
  FetchOptions,
  FetchResult,
} from './fetch-result.ts'
export type { Answered, PostOptions, PostResult } from './post-result.ts'
export type { Cause, Ticket } from './request-budget.ts'

export interface FetcherOptions {
  /** `http(s)://HOST:PORT` to connect to instead of any other server. */
  connectTo?: string | undefined
  caFile?: string | undefined
  dnsServer?: string | undefined
  hostConcurrency: number
  addressConcurrency: number
  /** Page about the crawler, named in its User-Agent. */
  contact: string
  /** `respect` skips files that robots.txt disallows. */
  robots?: 'ignore' | 'respect' | undefined
  /** Key that signs every GET, so that sites can verify the crawler. */
  signing?: Pick<SignerOptions, 'key' | 'agent'> | undefined
  limits: Pick<Limits, 'connectMs' | 'nameMs'> & RequestRates
  /** Buckets shared with other crawlers; without them this process counts alone. */
  buckets?: TokenBuckets | undefined
  clock: Clock
  log?: Log | undefined
  /** Idle connections kept open; at least the number of domains crawled at the same time. */
  maxIdle?: number | undefined
  meter?: FetchMeter | undefined
}

export interface Fetcher {
  /** Fetches a document; every failure of the network or the server is a value, never thrown. */
  fetchDocument(url: string, ask: FetchOptions): Promise<FetchResult>
  /** Sends JSON by POST, or opens a stream; follows no redirect. Never throws for a failure of the peer. */
  call(url: string, call: PostOptions): Promise<PostResult>
  /** Looks up the TXT records of a name; never throws. */
  lookupTxt(name: string): Promise<TxtAnswer>
  /** Resolves a name and classifies its addresses; `unknown` when no DNS server answered. */
  lookupHost(name: string): Promise<'public' | 'private' | 'nowhere' | 'unknown'>
  /** Returns this fetcher for another cause, which its requests are counted for. */
  for(cause: Cause): Fetcher
  /** Reserves several requests of the crawl to one host, or returns when to try again. */
  reserve(url: string, requests: number): Promise<Ticket | Failure>
  /** Refunds the unused requests of a reservation. */
  refund(ticket: Ticket): void
  /** Ends open requests as `connection_failed`. */
  close(): Promise<void>
}

const IDLE_CONNECTIONS_MAX = 128
const NAME_WAIT_MAX_MS = 2_000
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/

/**
 * Creates the fetcher: each hop passes the SSRF guard, DNS, rate limits and a connection.
 * Connections are pooled by origin (connections.ts), so callers need no session for several files
 * of a host.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { connectTo, caFile, dnsServer, limits, clock, log, meter = silentMeter } = options
  const { hostConcurrency, addressConcurrency, maxIdle = IDLE_CONNECTIONS_MAX } = options
  const resolver = createResolver({ connectTo, dnsServer, limits, clock, meter })
  const dial = createDial({ connectTo, caFile, connectMs: limits.connectMs })
  const connections = new Connections(dial, addressConcurrency, maxIdle)
  const politeness = new Politeness(hostConcurrency, addressConcurrency)
  const backoff = new HostBackoff(clock)
  const sign = options.signing && createSigner({ ...options.signing, clock })
  const requests = new RequestBudget(options.buckets ?? createLocalBuckets(), limits, rate =>
    meter.countLimit(rate),
  )
  const transport = new Transport({
    resolver,
    politeness,
    requests,
    connections,
    backoff,
    sign,
    log,
    meter,
  })
  const userAgent = buildUserAgent(options.contact)
  const context: Context = { transport, clock, userAgent, meter, cause: { kind: 'caller' } }
  const robots =
    options.robots === 'respect'
      ? new Robots(PRODUCT, clock, (url, ask) => follow(context, url, ask))
      : undefined
  const createFor = (cause: Cause): Fetcher => ({
    ...bindRequester({ ...context, cause }, { resolver, requests, robots, log }),
    for: createFor,
    reserve(url, requested) {
      const target = parseRequestUrl(url)
      if (!target) return Promise.resolve({ site: '', remaining: 0 })
      return requests.reserve(target.hostname, requested)
    },
    refund: ticket => requests.refund(ticket),
    async close() {
      transport.close()
    },
  })
  return createFor(context.cause)
}

interface Parts {
  resolver: Resolver
  requests: RequestBudget
  robots: Robots | undefined
  log: Log | undefined
}

function bindRequester(
  context: Context,
  { resolver, requests, robots, log }: Parts,
): Pick<Fetcher, 'fetchDocument' | 'call' | 'lookupTxt' | 'lookupHost'> {
  const { cause, meter } = context
  return {
    async fetchDocument(url, ask) {
      const fetched = await follow(context, url, ask, ask.obeysRobots ? robots : undefined)
      if (fetched.kind === 'failed') {
        const { url, outcome, detail } = fetched
        log?.debug({ url, outcome, detail }, 'not fetched')
      }
      return fetched
    },
    call: (url, call) => sendPost(context, url, call),
    async lookupTxt(name) {
      const refused = await requests.enterSite(name, cause, NAME_WAIT_MAX_MS)
      if (refused) return { kind: 'unknown', detail: refused.detail, isDeferred: true }
      return resolver.lookupTxt(name)
    },
    async lookupHost(name) {
      const refusal = checkHost(name)
      if (refusal !== undefined) {
        refuseRequest(meter, refusal)
        return 'private'
      }
      const needsNameServer = !resolver.isCached(name)
      if (needsNameServer && (await requests.enterSite(name, cause, NAME_WAIT_MAX_MS)))
        return 'unknown'
      const resolution = await resolver.resolve(name)
      if (resolution.kind === 'found') return 'public'
      if (resolution.kind === 'refused') {
        meter.countRefusal('resolved')
        return 'private'
      }
      return resolution.isCertain ? 'nowhere' : 'unknown'
    },
  }
}

async function follow(
  { transport, clock, userAgent, cause, meter }: Context,
  text: string,
  ask: FetchOptions,
  robots?: Robots,
): Promise<FetchResult> {
  let url = parseRequestUrl(text)
  if (url === undefined) return createFailedFetch(text, refuseRequest(meter, NO_ADDRESS))
  const refusal = checkUrl(url, ask.allow)
  if (refusal) return createFailedFetch(text, refuseRequest(meter, refusal))
  const question = { ...toQuestion(ask, userAgent), cause }
  const visited = [url]
  const budget = { remainingMs: ask.deadlineMs }
  for (;;) {
    const robotsFailure = await robots?.findFailure(url)
    if (robotsFailure) return createFailedFetch(url.href, robotsFailure)
    const answer = await transport.request(url, question, budget)
    if (answer.kind === 'broken') return createFailedFetch(url.href, answer, answer.status)
    if (!isRedirect(answer.status, ask))
      return interpretResponse(url.href, answer, ask, clock.now())
    const next = resolveHop(answer.headers.location, visited, ask)
    if (!(next instanceof URL)) {
      const reason = findRefusalReason(next.detail)
      if (reason) meter.countRefusal(reason)
      return createFailedFetch(url.href, next, answer.status)
    }
    if (budget.remainingMs <= 0) return createFailedFetch(url.href, timedOut, answer.status)
    visited.push(next)
    url = next
  }
}

function toQuestion(ask: FetchOptions, userAgent: string): Omit<TransportRequest, 'cause'> {
  const headers: TransportRequest['headers'] = {
    accept: ask.accept ?? 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': userAgent,
  }
  // A validator with characters that no header allows came from a broken server; ask without it.
  if (ask.etag && HEADER_VALUE.test(ask.etag)) headers['if-none-match'] = ask.etag
  if (ask.lastModified && HEADER_VALUE.test(ask.lastModified))
    headers['if-modified-since'] = ask.lastModified
  if (ask.authorization && ask.redirects === 'none') headers.authorization = ask.authorization
  const { range } = ask
  if (range) {
    headers.range = `bytes=${range.first}-${range.last}`
    // A range counts the bytes as they are sent.
    headers['accept-encoding'] = 'identity'
  }
  const { privateHost } = ask.allow ?? {}
  const reading = { maxBytes: ask.maxBytes, takesPart: range !== undefined }
  return { method: 'GET', headers, reading, privateHost }
}
