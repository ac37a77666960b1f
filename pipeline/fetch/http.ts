import type { Clock } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import type { Log } from '../core/log.ts'
import { parseUrl } from './address.ts'
import { type Context, callOver } from './call.ts'
import type { Call, Called } from './called.ts'
import { conclude, failedFetch } from './conclude.ts'
import { createDial } from './connect.ts'
import { Connections } from './connections.ts'
import { createResolver, type TxtAnswer } from './dns.ts'
import { type Failure, tooLate } from './failures.ts'
import type { Ask, Fetched } from './fetched.ts'
import { hostRefusal, refusalOf } from './guard.ts'
import { Holds } from './holds.ts'
import { Politeness } from './politeness.ts'
import { isRedirect, nextHop } from './redirects.ts'
import { Robots } from './robots.ts'
import { createSigner, type SignerOptions } from './signature.ts'
import { type Question, Way } from './way.ts'

export type { Answered, Call, Called } from './called.ts'
export type { TxtAnswer } from './dns.ts'
export type { Ask, Fetched, FetchedOk, FetchedUnchanged, FetchFailed } from './fetched.ts'

export interface FetcherOptions {
  /** `http(s)://HOST:PORT` to connect to instead of everything. */
  connectTo?: string | undefined
  caFile?: string | undefined
  dnsServer?: string | undefined
  hostConcurrency: number
  addressConcurrency: number
  /** Page about the crawler, named in its User-Agent. */
  contact: string
  /** What files the crawler leaves alone: none, or those that robots.txt disallows. */
  robots?: 'ignore' | 'respect' | undefined
  /** Signs every GET, for sites that want to know who asks. */
  signing?: Pick<SignerOptions, 'key' | 'agent'> | undefined
  limits: Pick<Limits, 'connectMs' | 'nameMs'>
  clock: Clock
  log?: Log | undefined
  /** Connections kept for a next request; at least the number of domains crawled at a time. */
  maxIdle?: number | undefined
}

export interface Fetcher {
  /** Never throws for what the world does. */
  fetchDocument(url: string, ask: Ask): Promise<Fetched>
  /** Asks a service with JSON by POST; no redirect is followed. Never throws for what the world does. */
  call(url: string, call: Call): Promise<Called>
  /** The TXT records of a name; never throws. */
  lookupTxt(name: string): Promise<TxtAnswer>
  /** Where a name leads to; `unknown` when no name server said anything. */
  lookupHost(name: string): Promise<'public' | 'private' | 'nowhere' | 'unknown'>
  /** Ends what is under way as `connection_failed`. */
  close(): Promise<void>
}

/** How the crawler calls itself, in its User-Agent and in robots.txt. */
const PRODUCT = 'AgenticAdRegistry'
const MAX_IDLE = 128
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/
const noAddress: Failure = { outcome: 'refused', detail: 'this is not an address' }

/**
 * The way out: guard, name, politeness, connection, answer, for every hop anew. A connection is kept
 * by origin after its answer (connections.ts), so callers just ask for one file after the other; a
 * session to open and close would save nothing.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { connectTo, caFile, dnsServer, limits, clock, log } = options
  const { hostConcurrency, addressConcurrency, maxIdle = MAX_IDLE } = options
  const resolver = createResolver({ connectTo, dnsServer, limits, clock })
  const dial = createDial({ connectTo, caFile, connectMs: limits.connectMs })
  const connections = new Connections(dial, addressConcurrency, maxIdle)
  const politeness = new Politeness(hostConcurrency, addressConcurrency)
  const holds = new Holds(clock)
  const sign = options.signing && createSigner({ ...options.signing, clock })
  const way = new Way({ resolver, politeness, connections, holds, sign, log })
  const context = { way, clock, userAgent: `${PRODUCT}/1.0 (+${options.contact})` }
  const robots =
    options.robots === 'respect'
      ? new Robots(PRODUCT, clock, (url, ask) => follow(context, url, ask))
      : undefined
  return {
    async fetchDocument(url, ask) {
      const fetched = await follow(context, url, ask, ask.obeysRobots ? robots : undefined)
      if (fetched.kind === 'failed') {
        const { url, outcome, detail } = fetched
        log?.debug({ url, outcome, detail }, 'not fetched')
      }
      return fetched
    },
    call: (url, call) => callOver(context, url, call),
    lookupTxt: name => resolver.lookupTxt(name),
    async lookupHost(name) {
      if (hostRefusal(name) !== undefined) return 'private'
      const resolution = await resolver.resolve(name)
      if (resolution.kind === 'found') return 'public'
      if (resolution.kind === 'refused') return 'private'
      return resolution.isCertain ? 'nowhere' : 'unknown'
    },
    async close() {
      way.close()
    },
  }
}

async function follow(
  { way, clock, userAgent }: Context,
  text: string,
  ask: Ask,
  robots?: Robots,
): Promise<Fetched> {
  let url = parseUrl(text)
  if (url === undefined) return failedFetch(text, noAddress)
  const refusal = refusalOf(url, ask.allow)
  if (refusal) return failedFetch(text, { outcome: 'refused', detail: refusal })
  const question = questionOf(ask, userAgent)
  const trail = [url]
  const budget = { leftMs: ask.deadlineMs }
  for (;;) {
    const left = await robots?.failureOf(url)
    if (left) return failedFetch(url.href, left)
    const answer = await way.visit(url, question, budget)
    if (answer.kind === 'broken') return failedFetch(url.href, answer, answer.status)
    if (!isRedirect(answer.status, ask)) return conclude(url.href, answer, ask, clock.now())
    const next = nextHop(answer.headers.location, trail, ask)
    if (!(next instanceof URL)) return failedFetch(url.href, next, answer.status)
    if (budget.leftMs <= 0) return failedFetch(url.href, tooLate, answer.status)
    trail.push(next)
    url = next
  }
}

function questionOf(ask: Ask, userAgent: string): Question {
  const headers: Question['headers'] = {
    accept: ask.accept ?? 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': userAgent,
  }
  // A validator that no header can carry came from a server that miswrote it: ask without.
  if (ask.etag && HEADER_VALUE.test(ask.etag)) headers['if-none-match'] = ask.etag
  if (ask.lastModified && HEADER_VALUE.test(ask.lastModified))
    headers['if-modified-since'] = ask.lastModified
  if (ask.authorization && ask.redirects === 'none') headers.authorization = ask.authorization
  const { privateHost } = ask.allow ?? {}
  return { method: 'GET', headers, reading: { maxBytes: ask.maxBytes }, privateHost }
}
