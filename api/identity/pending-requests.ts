import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { decryptBytes, encryptBytes } from '../../pipeline/core/keys/sealing.ts'
import { getFirst, requireValue } from '../../pipeline/core/present.ts'
import { toCaller } from '../limits/caller.ts'

/** Name of the cookie. It is valid below the paths of its request only. */
const COOKIE = 'registry_request'
/** Browsers drop a cookie of more than 4,096 characters, with its name. */
const SEALED_CHARS_MAX = 4_000
const TEXT_BYTES_MAX = 64 * 1024

/** A request with its response, while the authorization server works on it. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** Address that counts as the caller. */
  caller: string
  /** Payloads stored during this request, by the id of the authorization request; undefined where it ended. */
  changed: Map<string, AdapterPayload | undefined>
}

const exchanges = new AsyncLocalStorage<Exchange>()

/** Runs work on a request, which may read and write the cookies of the browser. */
export function withBrowser<Result>(
  { raw: request, ip }: FastifyRequest,
  { raw: response }: FastifyReply,
  work: () => Result,
): Result {
  return exchanges.run({ request, response, caller: toCaller(ip), changed: new Map() }, work)
}

/** Returns the caller of the request that the authorization server works on. */
export function getExchangeCaller(): string {
  return requireExchange().caller
}

interface PendingOptions {
  /** Secrets that encrypt; the first one encrypts. */
  keys: readonly string[]
  /** Refuses a request that no cookie can hold. */
  refuseLong(): never
  /** Marks a completed request as used; refuses one that was used before. */
  use(uid: string): Promise<void>
}

/**
 * Opens the storage of authorization requests that wait for their person. Each is encrypted in a cookie of the browser
 * that made it, so whoever begins sign-ins without completing them makes the registry store nothing.
 */
export function openPendingRequests({ keys, refuseLong, use }: PendingOptions): Adapter {
  const find = (uid: string): AdapterPayload | undefined => {
    const { request, changed } = requireExchange()
    if (changed.has(uid)) return changed.get(uid)
    const sealed = readCookie(request)
    return sealed === undefined ? undefined : unseal(keys, sealed, uid)
  }
  return {
    async upsert(uid, payload, seconds) {
      const { changed } = requireExchange()
      const stored = omitSessionId(payload)
      const content = deflateRawSync(JSON.stringify(stored), { level: 9 })
      const sealed = encryptBytes(getFirst(keys), content, uid)
      if (sealed.length > SEALED_CHARS_MAX) refuseLong()
      changed.set(uid, stored)
      setCookies(uid, sealed, requireValue(seconds, 'lifetime'))
    },
    find: async uid => find(uid),
    async destroy(uid) {
      const { changed } = requireExchange()
      const { result } = (find(uid) ?? {}) as { result?: { error?: string } }
      // A copy of the cookie must not complete the request again; one that was declined signs nobody in.
      if (result !== undefined && result.error === undefined) await use(uid)
      changed.set(uid, undefined)
      setCookies(uid, '', 0)
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => undefined,
    revokeByGrantId: async () => undefined,
  }
}

function requireExchange(): Exchange {
  const exchange = exchanges.getStore()
  if (exchange === undefined) throw new Error('no browser to read the authorization request from')
  return exchange
}

function readCookie({ headers }: IncomingMessage): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
}

function unseal(keys: readonly string[], sealed: string, uid: string): AdapterPayload | undefined {
  for (const key of keys) {
    const content = decryptBytes(key, sealed, uid)
    if (content === undefined) continue
    return JSON.parse(inflateRawSync(content, { maxOutputLength: TEXT_BYTES_MAX }).toString())
  }
  return undefined
}

/** Sets the cookie for the pages of a request and for the address at which it is completed. */
function setCookies(uid: string, sealed: string, seconds: number): void {
  const { request, response } = requireExchange()
  const isSecure = request.headers['x-forwarded-proto'] === 'https'
  const paths = [`/sign-in/${uid}`, `/authorize/${uid}`]
  const set = [response.getHeader('set-cookie') ?? []].flat().map(String)
  const others = set.filter(
    cookie =>
      !cookie.startsWith(`${COOKIE}=`) || !paths.some(path => cookie.includes(`path=${path};`)),
  )
  const own = paths.map(
    path =>
      `${COOKIE}=${sealed}; path=${path}; max-age=${seconds}; samesite=lax; ${isSecure ? 'secure; ' : ''}httponly`,
  )
  response.setHeader('set-cookie', [...others, ...own])
}

/** Leaves out the id with which a holder of the cookie's text could take over the session. */
function omitSessionId(payload: AdapterPayload): AdapterPayload {
  const { cookie: _, ...session } = (payload.session ?? {}) as { cookie?: string; uid: string }
  return payload.session === undefined ? payload : ({ ...payload, session } as AdapterPayload)
}
