import type { Issuer } from '../../model/identity.ts'
import { declareCache } from '../cache/caches.ts'
import { LatestValue } from '../cache/latest-value.ts'
import type { Reader } from '../reader.ts'

const latest = declareCache(() => new LatestValue<Issuer>())

/**
 * Finds an identity provider. Returns the same object while its content is the same, so that callers
 * can cache what they derive from its keys.
 */
export function findIssuer(reader: Reader, name: string): Issuer | undefined {
  const text = reader.serving?.get('issuer', name)?.toString()
  if (text === undefined) return undefined
  return latest(reader).get([text], () => JSON.parse(text) as Issuer)
}
