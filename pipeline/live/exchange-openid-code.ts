import type { Clock } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import type { Fetcher } from '../fetch/http.ts'
import type {
  OpenIdCode,
  OpenIdFailure,
  OpenIdPerson,
  OpenIdProvider,
} from '../model/accounts/openid.ts'
import { verifyIdToken } from './id-token.ts'
import {
  buildProviderAccess,
  listProviderKeys,
  type ProviderAccess,
  parseProviderJson,
  readProviderJson,
} from './provider-files.ts'
import { readOpenIdProvider } from './read-openid.ts'

interface ExchangeDeps {
  fetcher: Fetcher
  clock: Clock
  config: Config
}

/**
 * Exchanges a code for the ID token of its person and verifies it. The metadata and the keys are read each
 * time, so a rotation takes effect at once. No token of the provider is kept or passed on.
 */
export async function exchangeOpenIdCode(
  given: OpenIdCode,
  { fetcher, clock, config }: ExchangeDeps,
): Promise<OpenIdPerson | OpenIdFailure> {
  const { OPENID_CLIENT_ID: client, LIMITS: limits } = config
  const provider = await readOpenIdProvider(fetcher, config)
  if ('failed' in provider) return provider
  if (client === undefined || given.issuer !== provider.issuer) {
    return { failed: 'untrusted', detail: 'the crawler’s settings name another provider' }
  }
  const access = buildProviderAccess(provider.issuer, limits.issuerMs)
  const [token, set] = await Promise.all([
    fetchIdToken(given, provider, access, { fetcher, config }),
    readProviderJson(fetcher, provider.jwks_uri, access),
  ])
  if ('failed' in token) return token
  if ('failed' in set) return { failed: 'unreachable', detail: `its keys: ${set.failed}` }
  const { issuer } = provider
  return verifyIdToken(token.idToken, {
    keys: listProviderKeys(set.json),
    issuer,
    client,
    nonce: given.nonce,
    now: clock.now(),
  })
}

/** Sends the code to the token endpoint and returns the ID token of its answer. */
async function fetchIdToken(
  { code, code_verifier, redirect_uri }: OpenIdCode,
  provider: OpenIdProvider,
  access: ProviderAccess,
  { fetcher, config }: Pick<ExchangeDeps, 'fetcher' | 'config'>,
): Promise<{ idToken: string } | OpenIdFailure> {
  const { headers, fields } = buildClientAuthentication(provider, config)
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    code_verifier,
    redirect_uri,
    ...fields,
  })
  const answer = await fetcher.call(provider.token_endpoint, {
    ...access,
    body: form.toString(),
    accept: 'application/json',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
  if (answer.kind !== 'answered') return { failed: 'unreachable', detail: answer.detail }
  const read = parseProviderJson(answer.body)
  const { error, id_token } = ('json' in read ? (read.json ?? {}) : {}) as Record<string, unknown>
  if (answer.status !== 200) {
    const failed = answer.status < 500 ? 'refused' : 'unreachable'
    return { failed, detail: `${answer.status} ${String(error ?? '').slice(0, 100)}` }
  }
  if (typeof id_token === 'string') return { idToken: id_token }
  return { failed: 'untrusted', detail: 'its answer has no ID token' }
}

/** Builds how the registry authenticates: by the method that the provider supports, or as a public client. */
function buildClientAuthentication(
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: OpenIdProvider,
  { OPENID_CLIENT_ID: id = '', OPENID_CLIENT_SECRET: secret }: Config,
): { headers: Record<string, string>; fields: Record<string, string> } {
  if (secret === undefined) return { headers: {}, fields: { client_id: id } }
  const isBasic = methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
  if (!isBasic) return { headers: {}, fields: { client_id: id, client_secret: secret } }
  const credentials = Buffer.from(`${encodeForm(id)}:${encodeForm(secret)}`).toString('base64')
  return { headers: { authorization: `Basic ${credentials}` }, fields: {} }
}

/** Encodes a credential as RFC 6749 wants it before Base64. */
function encodeForm(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length)
}
