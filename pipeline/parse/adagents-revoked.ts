import { type RevokedPublisherDomain, revocationReasons } from '../model/documents/index.ts'
import { parseShortDomain, readDomain } from './addresses.ts'
import { quote } from './faults.ts'
import { isObject, ObjectReader, optional } from './object-reader.ts'

const KEY = 'revoked_publisher_domains'
const ALWAYS = '1970-01-01T00:00:00Z'

/**
 * Reads the domains that a file revokes. Any mention counts: also a revocation without a readable time, one
 * written as a bare name, or a single one outside of a list.
 */
export function readRevoked(root: ObjectReader): RevokedPublisherDomain[] {
  const value = root.value[KEY]
  if (value === undefined) return []
  if (!Array.isArray(value)) root.error(KEY, 'wrong_type', `must be a list, not ${quote(value)}`)
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((item, i) =>
    readRevokedEntry(root, item, Array.isArray(value) ? `${KEY}[${i}]` : KEY),
  )
}

function readRevokedEntry(
  root: ObjectReader,
  item: unknown,
  field: string,
): RevokedPublisherDomain[] {
  if (isObject(item)) return readRevocation(new ObjectReader(item, field, root.faults))
  const domain = parseShortDomain(item)
  const meaning = domain === undefined ? '' : ` (${domain} was taken as revoked)`
  root.faults.error(
    field,
    'wrong_type',
    `must be an object with publisher_domain and revoked_at${meaning}`,
  )
  return domain === undefined ? [] : [{ publisher_domain: domain, revoked_at: ALWAYS }]
}

function readRevocation(part: ObjectReader): RevokedPublisherDomain[] {
  const domain = readDomain(part, 'publisher_domain')
  const revokedAt = part.dateTime('revoked_at', false)
  if (!part.has('revoked_at'))
    part.error(
      'revoked_at',
      'missing',
      'is missing: add the time of the revocation, such as 2026-01-31T09:00:00Z',
    )
  const reason = part.oneOf('reason', revocationReasons)
  if (domain === undefined) return []
  return [
    { publisher_domain: domain, revoked_at: revokedAt ?? ALWAYS, ...optional('reason', reason) },
  ]
}
