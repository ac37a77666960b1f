import type { Config } from '../core/config.ts'
import type { Fetcher } from '../fetch/http.ts'
import { AuthorizationServer, type Issuer } from '../model/identity.ts'
import {
  buildProviderAccess,
  listProviderKeys,
  type ProviderAccess,
  readProviderJson,
} from './provider-files.ts'

export type IssuerRead = Issuer | { failed: string }

/**
 * Reads the public keys and the metadata of the configured identity provider. Its addresses come
 * from the settings alone, never from callers, since the provider may be in a private network.
 */
export async function readIssuer(fetcher: Fetcher, config: Config): Promise<IssuerRead> {
  const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl, LIMITS: limits } = config
  if (issuer === undefined || jwksUrl === undefined) return { failed: 'no issuer is configured' }
  const access = buildProviderAccess(issuer, limits.issuerMs)
  const [set, server] = await Promise.all([
    readProviderJson(fetcher, jwksUrl, access),
    readServer(fetcher, issuer, access),
  ])
  if ('failed' in set) return set
  const keys = listProviderKeys(set.json)
  return keys.length > 0
    ? { issuer, keys, server }
    : { failed: 'no public key of a supported type' }
}

/** Reads the metadata of an authorization server (RFC 8414), or of OpenID Connect. */
async function readServer(
  fetcher: Fetcher,
  issuer: string,
  access: ProviderAccess,
): Promise<AuthorizationServer | null> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const locations = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  const answers = await Promise.all(
    locations.map(location => readProviderJson(fetcher, location, access)),
  )
  const servers = answers.flatMap(answer =>
    'json' in answer ? (AuthorizationServer.safeParse(answer.json).data ?? []) : [],
  )
  // Another issuer's document would send callers to another issuer.
  return servers.find(server => server.issuer === issuer) ?? null
}
