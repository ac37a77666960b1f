import type { Issuer } from '../../model/identity.ts'
import type { Reader } from '../reader.ts'

let last: { text: string; issuer: Issuer } | undefined

/**
 * What is known of an identity provider. The same object as long as it says the same, so that what
 * is made of its keys can be kept beside it.
 */
export function findIssuer(reader: Reader, name: string): Issuer | undefined {
  const text = reader.serving?.get('issuer', name)?.toString()
  if (text === undefined) return undefined
  if (last?.text !== text) last = { text, issuer: JSON.parse(text) as Issuer }
  return last.issuer
}
