import { decryptSecret, encryptSecret, SECRET_CHARS_MIN } from '../core/keys/sealing.ts'
import type { ClientCredentials } from './client-credentials.ts'
import type { TokenType } from './compliance.ts'

/** Agent and organization that a credential belongs to; it is encrypted for them alone. */
export interface CredentialOwner {
  org_id: string
  agent_url: string
}

const toContext = ({ org_id, agent_url }: CredentialOwner) => `${org_id} ${agent_url}`

/** A credential as an organization gives it. */
export type AgentCredential =
  | { auth_type: TokenType; auth_token: string }
  | { auth_type: 'oauth_client_credentials'; credentials: ClientCredentials }

/**
 * A decrypted credential: a value of the header `Authorization`, or OAuth client credentials, with which a
 * token is requested first.
 */
export type OpenedCredential = { authorization: string } | { credentials: ClientCredentials }

/** Encrypts the credential of an agent; `basic` is `user:password`, or that in Base64. */
export function encryptCredential(
  key: string,
  given: AgentCredential,
  owner: CredentialOwner,
): string {
  const text =
    given.auth_type === 'oauth_client_credentials'
      ? JSON.stringify(given.credentials)
      : toHeader(given.auth_type, given.auth_token)
  return encryptSecret(key, text, toContext(owner))
}

/** Decrypts the credential of an agent; undefined if it was encrypted with another key or for another owner. */
export function decryptCredential(
  key: string,
  sealed: string,
  owner: CredentialOwner,
): OpenedCredential | undefined {
  const text = decryptSecret(key, sealed, toContext(owner))
  if (text === undefined) return undefined
  // Client credentials were stored as JSON; no value of the header begins with a brace.
  return text.startsWith('{') ? { credentials: JSON.parse(text) } : { authorization: text }
}

function toHeader(type: TokenType, token: string): string {
  if (type === 'bearer') return `Bearer ${token}`
  return `Basic ${token.includes(':') ? Buffer.from(token).toString('base64') : token}`
}

/** Checks that a credential is long enough: of `basic` it is the password that counts. */
export function isLongEnough(type: TokenType, token: string): boolean {
  return listSecrets(toHeader(type, token)).every(({ length }) => length >= SECRET_CHARS_MIN)
}

/** Lists the texts that would reveal a credential, to be redacted wherever an agent echoes them. */
export function listSecrets(header: string): string[] {
  const [scheme, token = ''] = header.split(' ', 2)
  if (scheme !== 'Basic') return [token]
  const plain = Buffer.from(token, 'base64').toString()
  return [token, plain, plain.slice(plain.indexOf(':') + 1)]
}
