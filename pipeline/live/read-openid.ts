import type { Config } from '../core/config.ts'
import type { Fetcher } from '../fetch/http.ts'
import { type OpenIdFailure, OpenIdProvider } from '../model/accounts/openid.ts'
import { buildProviderAccess, readProviderJson } from './provider-files.ts'

/**
 * Reads the metadata of the OpenID provider in the settings (OpenID Connect Discovery). It must name itself
 * as the settings do, and all its addresses must be https unless it is on this machine.
 */
export async function readOpenIdProvider(
  fetcher: Fetcher,
  { OPENID_ISSUER: issuer, LIMITS: { issuerMs } }: Config,
): Promise<OpenIdProvider | OpenIdFailure> {
  if (issuer === undefined) return { failed: 'unreachable', detail: 'no OpenID provider is set' }
  const access = buildProviderAccess(issuer, issuerMs)
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const read = await readProviderJson(fetcher, url, access)
  if ('failed' in read) return { failed: 'unreachable', detail: read.failed }
  const parsed = OpenIdProvider.safeParse(read.json)
  if (!parsed.success) return { failed: 'untrusted', detail: 'its metadata is incomplete' }
  const provider = parsed.data
  if (provider.issuer !== issuer) {
    return { failed: 'untrusted', detail: `its metadata are of another issuer: ${provider.issuer}` }
  }
  if (!access.allow.http && listAddresses(provider).some(address => !/^https:/.test(address))) {
    return { failed: 'untrusted', detail: 'its metadata name an address without TLS' }
  }
  return provider
}

function listAddresses(provider: OpenIdProvider): string[] {
  const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = provider
  return [authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint ?? jwks_uri]
}
