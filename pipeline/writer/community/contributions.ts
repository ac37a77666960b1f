import {
  buildContributedRow,
  diffContribution,
  getDeclaringHost,
} from '../../diff/contributions.ts'
import type { EventDraft } from '../../model/event.ts'
import type { OperationOf } from '../../model/submission.ts'
import { toIdentifierKey } from '../../resolve/identifiers.ts'
import type { Database } from '../../store/database.ts'

type Contribution = OperationOf<'property.contribute'>

/** Applies contributions: each unknown identifier becomes one property of the catalog. */
export async function applyContributions(
  db: Database,
  contributions: readonly Contribution[],
  stamp: { now: number; seq: number },
): Promise<EventDraft[]> {
  const drafts: EventDraft[] = []
  for (const contribution of contributions) {
    const known = await findRids(db, contribution, { disputed: true })
    const fresh = new Map(
      contribution.contributed
        .map(contributed => [toIdentifierKey(contributed.identifier), contributed] as const)
        .filter(([key]) => !known.has(key))
        .reverse(),
    )
    const hosts = [...fresh.values()].flatMap(
      ({ identifier }) => getDeclaringHost(identifier) ?? [],
    )
    const publishers = await findPublishers(db, hosts)
    const rows = [...fresh.values()].map(contributed => {
      const host = getDeclaringHost(contributed.identifier)
      const owner = host === undefined || publishers.has(host) ? '' : host
      return buildContributedRow(contributed, owner, stamp)
    })
    await db.insert('properties', rows)
    drafts.push(...diffContribution(rows))
  }
  return drafts
}

/**
 * Finds the property of each identifier, by its key, if one was contributed, or was created after the commit
 * `since` of the caller’s lookup. Disputed properties only with `disputed`.
 */
export async function findRids(
  db: Database,
  { contributed, since }: Pick<Contribution, 'contributed' | 'since'>,
  { disputed = false } = {},
): Promise<Map<string, string>> {
  const keys = contributed.map(({ identifier }) => toIdentifierKey(identifier))
  const rows = await db.all<{ key: string; property_rid: string }>(
    `with known as (
       select property_rid, (i.value ->> '$.type') || ':' || lower(i.value ->> '$.value') as key,
         (source != 'authoritative') || (property_type != 'website') || property_rid as place
       from properties, json_each(identifiers) i
       where (source = 'contributed' or seq > $since) and status != 'removed'
         and ($disputed or stale_reason is distinct from 'disputed'))
     select key, property_rid from (
       select key, property_rid, min(place) from known
       where key in (select value from json_each($keys)) group by key)`,
    { since, disputed, keys: JSON.stringify(keys) },
  )
  return new Map(rows.map(({ key, property_rid }) => [key, property_rid]))
}

/** Finds which hosts are publishers: only they add properties of their own. */
async function findPublishers(db: Database, hosts: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ domain: string }>(
    `select domain from publishers where domain in (select value from json_each($hosts))`,
    { hosts: JSON.stringify(hosts) },
  )
  return new Set(rows.map(({ domain }) => domain))
}
