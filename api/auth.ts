import { hash } from 'node:crypto'
import { refuse } from '../pipeline/core/errors.ts'
import { findPrincipal } from '../pipeline/index/points/principals.ts'
import type { Reader } from '../pipeline/index/reader.ts'

/** Who asks. For limits per user a key is its own user. */
export interface Principal {
  kind: 'key'
  id: string
  org_id: string
  org_name: string
}

const BEARER = /^bearer +(\S+) *$/i
const API_KEY = /^sk_[\x21-\x7e]{1,250}$/

/** The caller that an `Authorization` header names; refuses with 401 when it names none. */
export function authenticate(reader: Reader, authorization: string | undefined): Principal {
  if (authorization === undefined) {
    return refuse('unauthenticated', 'a credential is needed: Authorization: Bearer sk_…')
  }
  const token = BEARER.exec(authorization)?.[1] ?? ''
  const found = API_KEY.test(token)
    ? findPrincipal(reader, hash('sha256', token, 'hex'))
    : undefined
  if (found === undefined) return refuse('unauthenticated', 'the credential is not valid')
  return { kind: 'key', id: found.key_id, org_id: found.org_id, org_name: found.org_name }
}

/** What a 401 answers: how to authenticate, and whether something was tried (RFC 6750). */
export function challenge(wasTried: boolean): string {
  return wasTried ? 'Bearer realm="registry", error="invalid_token"' : 'Bearer realm="registry"'
}
