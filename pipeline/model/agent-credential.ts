import { decryptSecret, encryptSecret } from '../core/sealing.ts'
import type { ClientCredentials } from './client-credentials.ts'
import type { TokenType } from './compliance.ts'

/** Agent and organization that a credential belongs to: it opens nothing else. */
export interface CredentialPlace {
  org_id: string
  agent_url: string
}

const toPlace = ({ org_id, agent_url }: CredentialPlace) => `${org_id} ${agent_url}`

/** A credential as an organization gives it. */
export type AgentCredential =
  | { auth_type: TokenType; auth_token: string }
  | { auth_type: 'oauth_client_credentials'; credentials: ClientCredentials }

/** A credential as it is used: a value of the header `Authorization`, or what a token is asked for with. */
export type OpenedCredential = { authorization: string } | { credentials: ClientCredentials }

/** Encrypts the credential of an agent; `basic` is `user:password`, or that in Base64. */
export function encryptCredential(
  key: string,
  given: AgentCredential,
  place: CredentialPlace,
): string {
  const text =
    given.auth_type === 'oauth_client_credentials'
      ? JSON.stringify(given.credentials)
      : toHeader(given.auth_type, given.auth_token)
  return encryptSecret(key, text, toPlace(place))
}

/** Decrypts the credential of an agent; undefined where the key is another one. */
export function decryptCredential(
  key: string,
  sealed: string,
  place: CredentialPlace,
): OpenedCredential | undefined {
  const text = decryptSecret(key, sealed, toPlace(place))
  if (text === undefined) return undefined
  // No value of the header begins so.
  return text.startsWith('{') ? { credentials: JSON.parse(text) } : { authorization: text }
}

function toHeader(type: TokenType, token: string): string {
  if (type === 'bearer') return `Bearer ${token}`
  return `Basic ${token.includes(':') ? Buffer.from(token).toString('base64') : token}`
}

/** Lists the texts by which a credential could be told: none may be shown. */
export function listSecrets(header: string): string[] {
  const [scheme, token = ''] = header.split(' ', 2)
  if (scheme !== 'Basic') return [token]
  const plain = Buffer.from(token, 'base64').toString()
  return [token, plain, plain.slice(plain.indexOf(':') + 1)].filter(text => text !== '')
}
