import { getAt } from '../../core/present.ts'
import type { Identifier } from '../../model/documents/index.ts'
import type { ResolvedIdentifier } from '../../model/responses/catalog.ts'
import { listLookupKeys, normalizeIdentifier } from '../../resolve/identifiers.ts'
import type { Snapshot } from '../reader.ts'

type Known = Pick<ResolvedIdentifier, 'classification' | 'source'> & {
  property_rid: string
  key: string
}

/**
 * Selects the property of each requested identifier: of several the active one, then the
 * publisher's own, then the website at a domain, then the oldest. A disputed identifier has none.
 */
const OWNERS = `
with asked as (select unnest(from_json($keys::json, '["VARCHAR"]')) as key),
declared as (
  select p.property_rid, p.classification, p.source, p.status, p.publisher_domain, p.property_type,
    unnest(p.identifiers) as i
  from properties p
  where p.status != 'removed' and p.stale_reason is distinct from 'disputed'),
found as (
  select d.*, i.type || ':' || lower(i.value) as key from declared d
  semi join asked on asked.key = d.i.type || ':' || lower(d.i.value))
select key, property_rid, classification, source from found
qualify row_number() over (partition by key order by status = 'active' desc,
  i.value = publisher_domain desc, source = 'authoritative' desc,
  i.type = 'domain' and property_type = 'website' desc, property_rid) = 1`

/** Finds identifiers in the catalog, one answer each, in order. */
export async function findIdentifiers(
  { db }: Pick<Snapshot, 'db'>,
  asked: readonly Identifier[],
): Promise<ResolvedIdentifier[]> {
  const keys = asked.map(listLookupKeys)
  const rows = await db.all<Known>(OWNERS, { keys: JSON.stringify([...new Set(keys.flat())]) })
  const known = new Map(rows.map(({ key, ...row }) => [key, row]))
  return asked.map((identifier, i) => {
    const key = getAt(keys, i).find(candidate => known.has(candidate))
    return toAnswer(identifier, key === undefined ? undefined : known.get(key))
  })
}

function toAnswer(asked: Identifier, known: Omit<Known, 'key'> | undefined): ResolvedIdentifier {
  const identifier = normalizeIdentifier(asked)
  return known === undefined
    ? {
        identifier,
        property_rid: null,
        classification: 'unknown',
        status: 'excluded',
        source: null,
      }
    : { identifier, ...known, status: 'existing' }
}

/** Builds the answers before anything was published. */
export function buildUnknownIdentifiers(asked: readonly Identifier[]): ResolvedIdentifier[] {
  return asked.map(identifier => toAnswer(identifier, undefined))
}
