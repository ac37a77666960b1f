import { decryptSecret, encryptSecret } from '../core/sealing.ts'
import type { CredentialType } from './compliance.ts'

/** Agent and organization that a credential belongs to: it opens nothing else. */
export interface CredentialPlace {
  org_id: string
  agent_url: string
}

const toPlace = ({ org_id, agent_url }: CredentialPlace) => `${org_id} ${agent_url}`

/** Encrypts the credential of an agent; `basic` is `user:password`, or that in Base64. */
export function encryptCredential(
  key: string,
  { auth_type, auth_token }: { auth_type: CredentialType; auth_token: string },
  place: CredentialPlace,
): string {
  return encryptSecret(key, toHeader(auth_type, auth_token), toPlace(place))
}

/** Decrypts the `Authorization` header of an agent; undefined where the key is another one. */
export function decryptCredential(
  key: string,
  sealed: string,
  place: CredentialPlace,
): string | undefined {
  return decryptSecret(key, sealed, toPlace(place))
}

function toHeader(type: CredentialType, token: string): string {
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
