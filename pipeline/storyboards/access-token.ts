import { SECRET_CHARS_MIN } from '../core/keys/sealing.ts'
import type { Limits } from '../core/limits.ts'
import { readObject } from '../crawl/mcp/message.ts'
import type { Answered, Fetcher } from '../fetch/http.ts'
import { listSecrets } from '../model/agent-credential.ts'
import type { ClientCredentials } from '../model/client-credentials.ts'
import type { TokenFailure } from '../model/storyboards/storyboard-job.ts'
import type { JsonObject } from '../parse/object-reader.ts'
import { hideSecrets } from './hide-secrets.ts'
import { shortenText } from './redact.ts'

/** Matches a token: of a header only visible characters arrive as they were sent. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{${SECRET_CHARS_MIN},8192}$`)
const ANSWER_BYTES_MAX = 64 * 1_024

interface TokenDeps {
  fetcher: Pick<Fetcher, 'call'>
  limits: Pick<Limits, 'storyboardStepMs'>
  signal: AbortSignal
}

/**
 * Asks the token endpoint of an agent for an access token, by client credentials. Whatever the endpoint
 * does is a value. Its texts are cut, and the credentials hidden in them.
 */
export async function fetchAccessToken(
  credentials: ClientCredentials,
  { fetcher, limits, signal }: TokenDeps,
): Promise<{ token: string } | { failure: TokenFailure }> {
  const { body, headers } = buildTokenRequest(credentials)
  const answer = await fetcher.call(credentials.token_endpoint, {
    body,
    headers,
    accept: 'application/json',
    maxBytes: ANSWER_BYTES_MAX,
    deadlineMs: limits.storyboardStepMs,
    allow: { anyPort: true },
    signal,
  })
  if (answer.kind === 'failed') {
    return { failure: { kind: 'network', message: answer.detail } }
  }
  return readTokenAnswer(answer, listClientSecrets(credentials, headers))
}

/** Builds the form of RFC 6749 section 4.4.2. */
export function buildTokenRequest(credentials: ClientCredentials): {
  body: string
  headers: { 'content-type': string; authorization?: string }
} {
  const { client_id, client_secret, scope, resource, audience, auth_method } = credentials
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  for (const uri of [resource ?? []].flat()) form.append('resource', uri)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  if (auth_method === 'body') {
    form.set('client_id', client_id)
    form.set('client_secret', client_secret)
    return { body: form.toString(), headers }
  }
  const pair = `${encodeFormText(client_id)}:${encodeFormText(client_secret)}`
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return { body: form.toString(), headers: { ...headers, authorization } }
}

/** Encodes a text as a form does, which RFC 6749 section 2.3.1 wants of id and secret. */
function encodeFormText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** Lists the texts that would reveal client credentials, in every form in which they are sent. */
function listClientSecrets(
  { client_secret }: ClientCredentials,
  { authorization }: { authorization?: string },
): string[] {
  const sent = authorization === undefined ? [] : listSecrets(authorization)
  return [client_secret, encodeFormText(client_secret), ...sent]
}

function readTokenAnswer(
  { status, body }: Answered,
  secrets: readonly string[],
): { token: string } | { failure: TokenFailure } {
  const said = readObject(body)
  if (status === 200 && said !== undefined) {
    const { access_token, token_type = 'bearer' } = said
    const isBearer = typeof token_type === 'string' && token_type.toLowerCase() === 'bearer'
    if (typeof access_token === 'string' && TOKEN.test(access_token) && isBearer) {
      return { token: access_token }
    }
  }
  if (status >= 400 && typeof said?.error === 'string') {
    return { failure: describeRefusal(hideSecrets(said, secrets), status) }
  }
  const message = `the token endpoint did not answer with a bearer token of at least ${SECRET_CHARS_MIN} characters`
  return { failure: { kind: 'malformed' as const, message, http_status: status } }
}

function describeRefusal(
  { error, error_description }: JsonObject,
  http_status: number,
): TokenFailure {
  const oauth_error = shortenText(String(error))
  return {
    kind: 'oauth',
    message: `the token endpoint refused: ${oauth_error}`,
    oauth_error,
    ...(typeof error_description === 'string' && {
      oauth_error_description: shortenText(error_description),
    }),
    http_status,
  }
}
