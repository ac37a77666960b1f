import type { BrandRow, EntryRow } from '../model/rows.ts'
import type { HostedProperty } from '../model/save.ts'
import { type Database, listOf } from './duckdb.ts'
import { deleteRows } from './rows.ts'

export type Entity = EntryRow['entity']

/** What people told of these domains, by domain. */
export async function loadEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, EntryRow>> {
  if (domains.length === 0) return new Map()
  const rows = await db.all<EntryRow>(
    `select * from entries
     where entity = $entity and domain in (select unnest(${listOf('$domains')}))`,
    { entity, domains: JSON.stringify(domains) },
  )
  return new Map(rows.map(row => [row.domain, row]))
}

/** The same of those that are shown. */
export async function liveEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, EntryRow>> {
  const entries = await loadEntries(db, entity, domains)
  return new Map([...entries].filter(([, { status }]) => status === 'live'))
}

export async function replaceEntries(db: Database, entries: readonly EntryRow[]): Promise<void> {
  const ids = entries.map(({ entry_id }) => entry_id)
  await deleteRows(db, 'entries', 'entry_id', ids)
  await db.insert('entries', entries)
}

/** The brand that an entry is, where no document says which one the domain is. */
export function brandOfEntry(
  { domain, brand_name, source, document }: EntryRow,
  seq: number,
): BrandRow {
  return {
    domain,
    canonical_id: domain,
    canonical_domain: domain,
    brand_name: brand_name ?? domain,
    source,
    brand_id: null,
    keller_type: null,
    house_domain: null,
    house_name: null,
    claimed_house_domain: null,
    parent_brand: null,
    brand_agent_url: null,
    relationship_trust: null,
    relationship_declared_at: null,
    names: null,
    manifest: (document.brand_manifest as BrandRow['manifest'] | undefined) ?? null,
    seq,
  }
}

/** The properties of a publisher's entry. */
export function propertiesOfEntry({ document }: Pick<EntryRow, 'document'>): HostedProperty[] {
  return (document.properties ?? []) as HostedProperty[]
}
