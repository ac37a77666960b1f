import type { Fetcher, FetchOptions, PostOptions } from '../fetch/http.ts'
import { IssuerKey } from '../model/identity.ts'

const KEYS_MAX = 100
const FILE_BYTES_MAX = 256 * 1024

/** Bounds of the requests to an identity provider that the settings name. */
export type ProviderAccess = Pick<FetchOptions, 'deadlineMs'> &
  Required<Pick<PostOptions, 'allow' | 'maxBytes'>>

/**
 * Builds the bounds of requests to an identity provider. Its own host may be in a private network, since the
 * operator named it; any other host that its metadata names must be public.
 */
export function buildProviderAccess(issuer: string, issuerMs: number): ProviderAccess {
  const { hostname: privateHost, protocol } = new URL(issuer)
  return {
    maxBytes: FILE_BYTES_MAX,
    deadlineMs: issuerMs,
    allow: { http: protocol === 'http:', anyPort: true, privateHost },
  }
}

/** Reads a JSON file of a provider; follows no redirect. */
export async function readProviderJson(
  fetcher: Fetcher,
  url: string,
  access: ProviderAccess,
): Promise<{ json: unknown } | { failed: string }> {
  const fetched = await fetcher.fetchDocument(url, {
    ...access,
    redirects: 'none',
    maxRedirects: 0,
  })
  if (fetched.kind !== 'ok') {
    return { failed: fetched.kind === 'failed' ? fetched.detail : 'no body' }
  }
  return parseProviderJson(fetched.body)
}

/** Parses a body as JSON. */
export function parseProviderJson(body: Buffer): { json: unknown } | { failed: string } {
  try {
    return { json: JSON.parse(body.toString()) }
  } catch {
    return { failed: 'not JSON' }
  }
}

/** Lists the usable public keys of a set; a key of an unknown kind, a symmetric one, or one for encryption is skipped. */
export function listProviderKeys(json: unknown): IssuerKey[] {
  const { keys } = (json ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys)) return []
  return keys.slice(0, KEYS_MAX).flatMap(key => IssuerKey.safeParse(key).data ?? [])
}
