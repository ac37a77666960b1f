import { createHash } from 'node:crypto'
import type { Domain } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { Fetcher } from '../fetch/http.ts'
import { type OwnershipMethod, ownershipPlaces } from '../model/ownership.ts'

export interface OwnershipDeps {
  fetcher: Pick<Fetcher, 'fetchDocument' | 'lookupTxt'>
  limits: Limits
  protocolName: string
}

/**
 * By which of these methods a domain shows the nonce that has this hash. Whatever keeps it from
 * showing it is its own affair: then it is shown by none.
 */
export async function checkOwnership(
  {
    domain,
    nonce_hash,
    methods,
  }: { domain: Domain; nonce_hash: string; methods: OwnershipMethod[] },
  deps: OwnershipDeps,
): Promise<OwnershipMethod | null> {
  const looks = methods.map(async method => {
    const shown = method === 'dns_txt' ? await inDns(domain, deps) : await inFile(domain, deps)
    return shown.some(text => hashOf(text) === nonce_hash)
  })
  const results = await Promise.all(looks)
  return methods[results.indexOf(true)] ?? null
}

async function inDns(domain: Domain, { fetcher, protocolName }: OwnershipDeps): Promise<string[]> {
  const answer = await fetcher.lookupTxt(ownershipPlaces(domain, protocolName).txt)
  return answer.kind === 'found' ? answer.records : []
}

async function inFile(
  domain: Domain,
  { fetcher, limits, protocolName }: OwnershipDeps,
): Promise<string[]> {
  const fetched = await fetcher.fetchDocument(ownershipPlaces(domain, protocolName).url, {
    maxBytes: limits.ownershipFileBytes,
    redirects: 'same-host',
    maxRedirects: limits.httpRedirects,
    deadlineMs: limits.ownershipMs,
    accept: 'text/plain',
  })
  return fetched.kind === 'ok' ? [fetched.body.toString().trim()] : []
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
