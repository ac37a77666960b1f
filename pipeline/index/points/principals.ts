import type { StoredPrincipal } from '../../model/answers.ts'
import type { Reader } from '../reader.ts'

/** Whose API key has this SHA-256 (hex), if it stands. */
export function findPrincipal(reader: Reader, hash: string): StoredPrincipal | undefined {
  const value = reader.serving?.get('principal', hash)
  return value === undefined
    ? undefined
    : (JSON.parse(Buffer.from(value).toString()) as StoredPrincipal)
}
