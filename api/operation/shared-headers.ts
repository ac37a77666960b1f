import type { FastifyRequest } from 'fastify'
import {
  ALL_KEY,
  ANY_KEY,
  MEMBERS_KEY,
  SNAPSHOT_KEY,
  toKeyKind,
} from '../../pipeline/core/surrogate-keys.ts'
import { declareCache } from '../../pipeline/read/cache/caches.ts'
import { CommitCache } from '../../pipeline/read/cache/commit-cache.ts'
import { cachePolicies } from '../responses/freshness.ts'
import type { Sent } from '../responses/reply.ts'
import { exposed } from './cross-origin.ts'
import type { Operation } from './operation.ts'
import type { Services } from './services.ts'

type Headers = Readonly<Record<string, string>>

const CACHE_BYTES_MAX = 4 * 1024 * 1024
/**
 * Keys of answers by their addresses, as of one commit. A publisher's answer takes 108 µs of processor time with them and
 * 182 µs where they are found each time.
 */
const cachedKeys = declareCache(() => new CommitCache<string>(CACHE_BYTES_MAX, keys => keys.length))

/** Keys of one answer beyond which any commit may change it: caches refuse longer headers. */
const KEYS_MAX = 60
const listKeys = [SNAPSHOT_KEY, MEMBERS_KEY]

/**
 * Chooses the headers by which a cache in front of the API shares answers, and by which it is told to forget them;
 * undefined where none are shared.
 */
export function chooseSharedHeaders(
  { access, cache, dependsOn = cache === 'list' ? listKeys : undefined }: Operation,
  { config, reader }: Services,
): ((request: FastifyRequest, sent: Sent) => Headers | undefined) | undefined {
  const isShared = access === 'public' && cachePolicies[cache].startsWith('public')
  if (config.SHARED_CACHE_S === 0 || !isShared) return undefined
  // A shared cache answers scripts of other origins too, whoever asked first.
  if (dependsOn === undefined) return () => exposed
  const build = (keys: readonly string[]) => ({ ...exposed, 'surrogate-key': formatKeys(keys) })
  if (typeof dependsOn !== 'function') {
    const headers = build(dependsOn)
    return () => headers
  }
  return ({ query, params, url }, { status }) => {
    if (status !== 200) return exposed
    const find = () => formatKeys(dependsOn({ query, params, reader }))
    const { serving } = reader
    const keys = serving === undefined ? find() : cachedKeys(reader).get(serving, url, find)
    return { ...exposed, 'surrogate-key': keys }
  }
}

/** Formats keys with their kinds, by which many of them are forgotten at once. */
function formatKeys(keys: readonly string[]): string {
  const all = new Set(keys)
  if (all.has(ANY_KEY) || all.size > KEYS_MAX) return `${ALL_KEY} ${ANY_KEY}`
  return [ALL_KEY, ...new Set([...all].flatMap(key => [toKeyKind(key), key]))].join(' ')
}
