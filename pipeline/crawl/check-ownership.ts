import { createHash } from 'node:crypto'
import type { Domain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { Fetcher } from '../fetch/http.ts'
import { listOwnershipPlaces, type OwnershipMethod } from '../model/ownership.ts'

export interface OwnershipDeps {
  fetcher: Pick<Fetcher, 'fetchDocument' | 'lookupTxt'>
  limits: Limits
  protocolName: string
}

/** Result of a check. It is `throttled` if no method was found and a rate limit kept us from trying all of them. */
export interface OwnershipResult {
  found: OwnershipMethod | null
  throttled?: true
}

/** Texts that the domain publishes by one method; undefined if they could not be requested, because of a rate limit. */
type PublishedTexts = string[] | undefined

/**
 * Checks whether a domain publishes the nonce with this hash, and by which of these methods. A domain that
 * cannot be reached does not publish it.
 */
export async function checkOwnership(
  {
    domain,
    nonce_hash,
    methods,
  }: { domain: Domain; nonce_hash: string; methods: OwnershipMethod[] },
  deps: OwnershipDeps,
): Promise<OwnershipResult> {
  const reads = methods.map(method =>
    method === 'dns_txt' ? readDnsTexts(domain, deps) : readFileTexts(domain, deps),
  )
  const textsByMethod = await Promise.all(reads)
  const index = textsByMethod.findIndex(texts =>
    texts?.some(text => hashNonce(text) === nonce_hash),
  )
  const found = methods[index] ?? null
  return found === null && textsByMethod.includes(undefined)
    ? { found, throttled: true }
    : { found }
}

async function readDnsTexts(
  domain: Domain,
  { fetcher, protocolName }: OwnershipDeps,
): Promise<PublishedTexts> {
  const answer = await fetcher.lookupTxt(listOwnershipPlaces(domain, protocolName).txt)
  if (answer.kind === 'found') return answer.records
  return answer.isDeferred ? undefined : []
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
  return fetched.kind === 'failed' && fetched.outcome === 'deferred' ? undefined : []
}

function hashNonce(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
