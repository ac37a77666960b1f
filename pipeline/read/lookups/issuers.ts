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
  const { record } = reader
  const stored = record?.one<{ content: string }>(
    `select keys || coalesce(server, '') as content from issuers where issuer = $name`,
    { name },
  )
  if (record === undefined || stored === undefined) return undefined
  return latest(reader).get([name, stored.content], () =>
    record.oneOrThrow<Issuer>('select issuer, keys, server from issuers where issuer = $name', {
      name,
    }),
  )
}
