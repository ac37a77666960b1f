import type { Issuer } from '../../model/identity.ts'
import type { Reader } from '../reader.ts'

let last: { text: string; issuer: Issuer } | undefined

/**
 * Finds an identity provider. Returns the same object while its content is the same, so that callers
 * can cache what they derive from its keys.
 */
export function findIssuer(reader: Reader, name: string): Issuer | undefined {
  const text = reader.serving?.get('issuer', name)?.toString()
  if (text === undefined) return undefined
  if (last?.text !== text) last = { text, issuer: JSON.parse(text) as Issuer }
  return last.issuer
}
