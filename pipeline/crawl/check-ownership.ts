import { createHash } from 'node:crypto'
import type { Domain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { Outcome } from '../core/outcomes.ts'
import type { Fetcher } from '../fetch/http.ts'
import type { LiveRequestAnswers } from '../model/live/live-request.ts'
import {
  listOwnershipPlaces,
  type OwnershipMethod,
  type PlaceWithoutNonce,
} from '../model/ownership.ts'
import { clip } from '../parse/clip.ts'

export interface OwnershipDeps {
  fetcher: Pick<Fetcher, 'fetchDocument' | 'lookupTxt'>
  limits: Limits
  protocolName: string
}

/** Characters of another text that the caller is told. */
const OTHER_TEXT_CHARS = 60

/** Outcomes that are not told apart, so that callers learn nothing about private networks. */
const untold: ReadonlySet<Outcome> = new Set(['dns_failed', 'refused', 'connection_failed'])

/** Texts that the domain publishes by one method, or why there are none; `deferred` because of a rate limit. */
type PublishedTexts = string[] | 'deferred' | Extract<PlaceWithoutNonce, { state: 'unreadable' }>

/**
 * Checks whether a domain publishes the nonce with this hash, and by which of these methods. A domain that
 * cannot be reached does not publish it. The result is `throttled` if no method was found and a rate limit kept us
 * from trying all of them.
 */
export async function checkOwnership(
  {
    domain,
    nonce_hash,
    methods,
  }: { domain: Domain; nonce_hash: string; methods: OwnershipMethod[] },
  deps: OwnershipDeps,
): Promise<LiveRequestAnswers['check_ownership']> {
  const reads = methods.map(method =>
    method === 'dns_txt' ? readDnsTexts(domain, deps) : readFileTexts(domain, deps),
  )
  const textsByMethod = await Promise.all(reads)
  const index = textsByMethod.findIndex(
    texts => Array.isArray(texts) && texts.some(text => hashNonce(text) === nonce_hash),
  )
  const found = methods[index]
  if (found !== undefined) return { found }
  const instead = Object.fromEntries(
    methods.map((method, at) => [method, describeTexts(textsByMethod[at])]),
  )
  return { found: null, instead, ...(textsByMethod.includes('deferred') && { throttled: true }) }
}

/** Describes what a place shows instead of the nonce; undefined if it was not looked at. */
function describeTexts(texts: PublishedTexts | undefined): PlaceWithoutNonce | undefined {
  if (texts === undefined || texts === 'deferred') return undefined
  if (!Array.isArray(texts)) return texts
  const [text] = texts
  if (text === undefined) return { state: 'empty' }
  const shown = clip(text, OTHER_TEXT_CHARS) ?? ''
  const isWhole = shown === (clip(text, text.length) ?? '')
  return { state: 'other', text: isWhole ? shown : `${shown}…` }
}

async function readDnsTexts(
  domain: Domain,
  { fetcher, protocolName }: OwnershipDeps,
): Promise<PublishedTexts> {
  const answer = await fetcher.lookupTxt(listOwnershipPlaces(domain, protocolName).txt)
  if (answer.kind === 'found') return answer.records
  return answer.isDeferred ? 'deferred' : { state: 'unreadable' }
}

async function readFileTexts(
  domain: Domain,
  { fetcher, limits, protocolName }: OwnershipDeps,
): Promise<PublishedTexts> {
  const fetched = await fetcher.fetchDocument(listOwnershipPlaces(domain, protocolName).url, {
    maxBytes: limits.ownershipFileBytes,
    redirects: 'same-host',
    maxRedirects: limits.httpRedirects,
    deadlineMs: limits.ownershipMs,
    accept: 'text/plain',
  })
  if (fetched.kind === 'ok') return [fetched.body.toString().trim()]
  if (fetched.kind === 'unchanged' || fetched.outcome === 'absent') return []
  const { outcome } = fetched
  if (outcome === 'deferred') return 'deferred'
  return { state: 'unreadable', ...(!untold.has(outcome) && { outcome }) }
}

function hashNonce(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
