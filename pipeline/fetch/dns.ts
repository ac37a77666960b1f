import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type Clock, HOUR, MINUTE, SECOND } from '../core/clock.ts'
import type { Limits } from '../core/limits.ts'
import { isPublicAddress } from './guard.ts'
import { TtlCache } from './ttl-cache.ts'

export interface ResolverOptions {
  /** ADDRESS:PORT of the name server to ask; the system's otherwise. */
  dnsServer?: string | undefined
  /** Set in test worlds: without a name server, every name has a made-up public address. */
  connectTo?: string | undefined
  /** `nameMs`: how long a name server has to answer; it is asked twice. */
  limits: Pick<Limits, 'nameMs'>
  clock: Clock
}

/** All addresses of a name have been judged; only these may be dialed. */
export type Resolution =
  | { kind: 'found'; addresses: readonly [string, ...string[]] }
  /** Judged, and not public: dialed only where an operator allows this one host. */
  | { kind: 'refused'; addresses: readonly [string, ...string[]] }
  /** `isCertain`: a name server said that there is no address. */
  | { kind: 'failed'; detail: string; isCertain: boolean }

/** `found` with no records: a name server said that there are none. `unknown`: none said anything. */
export type TxtAnswer = { kind: 'found'; records: string[] } | { kind: 'unknown'; detail: string }

export interface Resolver {
  /** At once when the answer is known, so that the common case costs no turn of the event loop. */
  resolve(host: string): Resolution | Promise<Resolution>
  /** The TXT records of a name; never throws. */
  lookupTxt(name: string): Promise<TxtAnswer>
  close(): void
}

interface Timed {
  address: string
  ttl: number
}

const NAMES_KEPT = 20_000
const LEAST_TTL = 5 * SECOND
const MOST_TTL = HOUR
const NEGATIVE_TTL = MINUTE
const noSuchName = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * One private address condemns the whole name: what a name may be rebound to is not worth guessing.
 * The addresses handed out are the ones judged, and a connection is made to them and not to the name,
 * so a second answer that differs is never used.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { dnsServer, connectTo, limits, clock } = options
  const invents = connectTo !== undefined && dnsServer === undefined
  const server = new dns.Resolver({ timeout: limits.nameMs, tries: 2 })
  if (dnsServer !== undefined) server.setServers([dnsServer])
  const known = new TtlCache<Resolution>(clock, NAMES_KEPT)
  const asked = new Map<string, Promise<Resolution>>()

  async function ask(host: string): Promise<Resolution> {
    const [v4, v6] = await Promise.allSettled([
      server.resolve4(host, { ttl: true }),
      server.resolve6(host, { ttl: true }),
    ])
    const { resolution, ttlMs } = judge([v4, v6])
    known.set(host, resolution, ttlMs)
    return resolution
  }

  function askOnce(host: string): Promise<Resolution> {
    const underway = asked.get(host)
    if (underway) return underway
    const answer = ask(host).finally(() => asked.delete(host))
    asked.set(host, answer)
    return answer
  }

  return {
    resolve(host) {
      const literal = host.startsWith('[') ? host.slice(1, -1) : host
      if (isIP(literal)) return isPublicAddress(literal) ? found([literal]) : refused([literal])
      if (invents) return found([madeUpAddress(host)])
      return known.get(host) ?? askOnce(host)
    },
    async lookupTxt(name) {
      if (invents) return { kind: 'found', records: [] }
      try {
        const records = await server.resolveTxt(name)
        return { kind: 'found', records: records.map(chunks => chunks.join('')) }
      } catch (error) {
        const code = codeOf(error)
        if (noSuchName.has(code)) return { kind: 'found', records: [] }
        return { kind: 'unknown', detail: `the name server failed (${code})` }
      }
    },
    close: () => server.cancel(),
  }
}

function judge(answers: PromiseSettledResult<Timed[]>[]): {
  resolution: Resolution
  ttlMs: number
} {
  const records = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
  const [first, ...rest] = records.map(record => record.address)
  if (first === undefined) return judgeFailure(answers)
  const ttlMs = Math.min(...records.map(record => record.ttl * SECOND))
  const isPublic = isPublicAddress(first) && rest.every(isPublicAddress)
  return {
    resolution: isPublic ? found([first, ...rest]) : refused([first, ...rest]),
    ttlMs: Math.min(Math.max(ttlMs, LEAST_TTL), MOST_TTL),
  }
}

/** That a name has no address is known for a minute; that nobody said so, only for a moment. */
function judgeFailure(answers: PromiseSettledResult<Timed[]>[]) {
  const codes = answers.map(answer =>
    answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA',
  )
  const trouble = codes.find(code => !noSuchName.has(code))
  const detail = trouble ? `the name server failed (${trouble})` : 'the name has no address'
  const resolution: Resolution = { kind: 'failed', detail, isCertain: trouble === undefined }
  return { resolution, ttlMs: trouble ? LEAST_TTL : NEGATIVE_TTL }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown'
}

function found(addresses: [string, ...string[]]): Resolution {
  return { kind: 'found', addresses }
}

function refused(addresses: [string, ...string[]]): Resolution {
  return { kind: 'refused', addresses }
}

/** Stable by name, public by construction: 32.0.0.0 to 95.255.255.255 holds no reserved range. */
export function madeUpAddress(host: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < host.length; i++) hash = Math.imul(hash ^ host.charCodeAt(i), 0x01000193)
  const first = 32 + ((hash >>> 24) & 63)
  return `${first}.${(hash >>> 16) & 255}.${(hash >>> 8) & 255}.${hash & 255}`
}
