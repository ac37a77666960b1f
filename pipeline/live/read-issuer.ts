import type { Config } from '../core/config.ts'
import type { Fetcher, FetchOptions } from '../fetch/http.ts'
import { AuthorizationServer, type Issuer, IssuerKey } from '../model/identity.ts'

export type IssuerRead = Issuer | { failed: string }

const KEYS_MAX = 100
const FILE_BYTES_MAX = 256 * 1024

/**
 * Reads the public keys and the metadata of the configured identity provider. Its addresses come
 * from the settings alone, never from callers, since the provider may be in a private network.
 */
export async function readIssuer(fetcher: Fetcher, config: Config): Promise<IssuerRead> {
  const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl, LIMITS: limits } = config
  if (issuer === undefined || jwksUrl === undefined) return { failed: 'no issuer is configured' }
  const privateHost = new URL(issuer).hostname
  const ask: FetchOptions = {
    maxBytes: FILE_BYTES_MAX,
    deadlineMs: limits.issuerMs,
    redirects: 'none',
    maxRedirects: 0,
    allow: { http: new URL(issuer).protocol === 'http:', anyPort: true, privateHost },
  }
  const [set, server] = await Promise.all([
    readJson(fetcher, jwksUrl, ask),
    readServer(fetcher, issuer, ask),
  ])
  if ('failed' in set) return set
  const keys = listKeys(set.json)
  return keys.length > 0
    ? { issuer, keys, server }
    : { failed: 'no public key of a supported type' }
}

/** Lists the usable keys; a key of an unknown kind, or for encryption, is skipped. */
function listKeys(json: unknown): IssuerKey[] {
  const { keys } = (json ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys)) return []
  return keys.slice(0, KEYS_MAX).flatMap(key => IssuerKey.safeParse(key).data ?? [])
}

/** Reads the metadata of an authorization server (RFC 8414), or of OpenID Connect. */
async function readServer(
  fetcher: Fetcher,
  issuer: string,
  ask: FetchOptions,
): Promise<AuthorizationServer | null> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const locations = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  const answers = await Promise.all(locations.map(location => readJson(fetcher, location, ask)))
  const servers = answers.flatMap(answer =>
    'json' in answer ? (AuthorizationServer.safeParse(answer.json).data ?? []) : [],
  )
  // Another issuer's document would send callers to another issuer.
  return servers.find(server => server.issuer === issuer) ?? null
}

async function readJson(
  fetcher: Fetcher,
  url: string,
  ask: FetchOptions,
): Promise<{ json: unknown } | { failed: string }> {
  const fetched = await fetcher.fetchDocument(url, ask)
  if (fetched.kind !== 'ok') {
    return { failed: fetched.kind === 'failed' ? fetched.detail : 'no body' }
  }
  try {
    return { json: JSON.parse(fetched.body.toString()) }
  } catch {
    return { failed: 'not JSON' }
  }
}
