import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type Clock, HOUR, MINUTE, SECOND } from '../core/clock.ts'
import { hashFnv1a } from '../core/fnv.ts'
import type { Limits } from '../core/limits.ts'
import { requireValue } from '../core/present.ts'
import { createTtlCache } from '../core/ttl-cache.ts'
import { findEmbeddedAddress } from './embedded-address.ts'
import type { FetchMeter } from './fetch-meter.ts'
import { isPublicAddress } from './ssrf-guard.ts'

export interface ResolverOptions {
  /** ADDRESS:PORT of the name server to ask; the system's otherwise. */
  dnsServer?: string | undefined
  /** Set in test worlds: without a DNS server every name resolves to a made-up public address. */
  connectTo?: string | undefined
  /** `nameMs`: timeout of one DNS query; each is tried twice. */
  limits: Pick<Limits, 'nameMs'>
  clock: Clock
  meter?: Pick<FetchMeter, 'countNameLookup'>
}

/** All addresses of the name have been checked; only these may be connected to. */
export type Resolution =
  | { kind: 'found'; addresses: readonly [string, ...string[]] }
  /** Not public: used only for a host that the operator allows by name. */
  | { kind: 'refused'; addresses: readonly [string, ...string[]] }
  /** `isCertain`: a name server said that there is no address. */
  | { kind: 'failed'; detail: string; isCertain: boolean }

/** `found` with no records: a DNS server said that there are none. `unknown`: none answered. */
export type TxtAnswer =
  | { kind: 'found'; records: string[] }
  | { kind: 'unknown'; detail: string; isDeferred?: true }

export interface Resolver {
  /** Tells whether the answer is cached, so that no DNS query is needed. */
  isCached(host: string): boolean
  /**
   * Resolves a host; returns synchronously when the answer is cached, which saves a turn of the
   * event loop.
   */
  resolve(host: string): Resolution | Promise<Resolution>
  /**
   * Resolves a host that the operator named, as this machine does, so `localhost`, its hosts file and its search
   * domains count. The addresses are not checked: they may be private.
   */
  resolveNamed(host: string): Promise<Resolution>
  /** Looks up the TXT records of a name; never throws. */
  lookupTxt(name: string): Promise<TxtAnswer>
  close(): void
}

interface Timed {
  address: string
  ttl: number
}

const CACHED_NAMES_MAX = 20_000
const TTL_MIN_MS = 5 * SECOND
const TTL_MAX_MS = HOUR
const NEGATIVE_TTL = MINUTE
const noSuchName = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Creates a resolver. One private address makes the whole name refused: it may be part of a DNS
 * rebinding attack. Connections are made to the addresses checked here and never to the name, so a
 * later, different answer is not used.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { dnsServer, connectTo, limits, clock, meter } = options
  const usesMadeUpAddresses = connectTo !== undefined && dnsServer === undefined
  const server = new dns.Resolver({ timeout: limits.nameMs, tries: 2 })
  if (dnsServer !== undefined) server.setServers([dnsServer])
  const known = createTtlCache<Resolution>(clock, CACHED_NAMES_MAX)
  const pending = new Map<string, Promise<Resolution>>()

  async function ask(host: string): Promise<Resolution> {
    const started = performance.now()
    const [v4, v6] = await Promise.allSettled([
      server.resolve4(host, { ttl: true }),
      server.resolve6(host, { ttl: true }),
    ])
    const { resolution, ttlMs } = checkRecords([v4, v6])
    known.set(host, resolution, { ttl: ttlMs })
    meter?.countNameLookup(resolution.kind, performance.now() - started)
    return resolution
  }

  function askOnce(host: string): Promise<Resolution> {
    const underway = pending.get(host)
    if (underway) return underway
    const answer = ask(host).finally(() => pending.delete(host))
    pending.set(host, answer)
    return answer
  }

  return {
    isCached: host =>
      usesMadeUpAddresses || isIP(stripBrackets(host)) !== 0 || known.get(host) !== undefined,
    resolve(host) {
      const bare = stripBrackets(host)
      const literal = usesMadeUpAddresses ? (findEmbeddedAddress(bare) ?? bare) : bare
      if (isIP(literal))
        return isPublicAddress(literal) ? found([literal]) : refuseAddresses([literal])
      if (usesMadeUpAddresses) return found([makeUpAddress(host)])
      return known.get(host) ?? askOnce(host)
    },
    async resolveNamed(host) {
      const asks = usesMadeUpAddresses || dnsServer !== undefined || isIP(stripBrackets(host)) !== 0
      if (asks) return this.resolve(host)
      try {
        const [first, ...rest] = await dns.lookup(host, { all: true })
        return found([
          requireValue(first, 'address').address,
          ...rest.map(({ address }) => address),
        ])
      } catch (error) {
        return classifyFailure([{ status: 'rejected', reason: error }]).resolution
      }
    },
    async lookupTxt(name) {
      if (usesMadeUpAddresses) return { kind: 'found', records: [] }
      try {
        const records = await server.resolveTxt(name)
        return { kind: 'found', records: records.map(chunks => chunks.join('')) }
      } catch (error) {
        const code = getErrorCode(error)
        if (noSuchName.has(code)) return { kind: 'found', records: [] }
        return { kind: 'unknown', detail: `the name server failed (${code})` }
      }
    },
    close: () => server.cancel(),
  }
}

function stripBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function checkRecords(answers: PromiseSettledResult<Timed[]>[]): {
  resolution: Resolution
  ttlMs: number
} {
  const records = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
  const [first, ...rest] = records.map(record => record.address)
  if (first === undefined) return classifyFailure(answers)
  const ttlMs = Math.min(...records.map(record => record.ttl * SECOND))
  const isPublic = isPublicAddress(first) && rest.every(isPublicAddress)
  return {
    resolution: isPublic ? found([first, ...rest]) : refuseAddresses([first, ...rest]),
    ttlMs: Math.min(Math.max(ttlMs, TTL_MIN_MS), TTL_MAX_MS),
  }
}

/** Classifies a failed lookup. A negative answer is cached for a minute, a failure to resolve only for a moment. */
function classifyFailure(answers: PromiseSettledResult<Timed[]>[]) {
  const codes = answers.map(answer =>
    answer.status === 'rejected' ? getErrorCode(answer.reason) : 'ENODATA',
  )
  const failure = codes.find(code => !noSuchName.has(code))
  const detail = failure ? `the name server failed (${failure})` : 'the name does not resolve'
  const resolution: Resolution = { kind: 'failed', detail, isCertain: failure === undefined }
  return { resolution, ttlMs: failure ? TTL_MIN_MS : NEGATIVE_TTL }
}

function getErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}

function found(addresses: [string, ...string[]]): Resolution {
  return { kind: 'found', addresses }
}

function refuseAddresses(addresses: [string, ...string[]]): Resolution {
  return { kind: 'refused', addresses }
}

/**
 * Invents an address that depends only on the name and is always public: 32.0.0.0 to 95.255.255.255 holds
 * no reserved range.
 */
export function makeUpAddress(host: string): string {
  const hash = hashFnv1a(host)
  const first = 32 + ((hash >>> 24) & 63)
  return `${first}.${(hash >>> 16) & 255}.${(hash >>> 8) & 255}.${hash & 255}`
}
