import type { BrandRow, EntryRow } from '../model/rows.ts'
import type { HostedProperty } from '../model/save.ts'
import type { Database } from './duckdb.ts'
import { oneOf } from './one-of.ts'
import { deleteRows } from './rows.ts'

/** Of so few domains what was found is kept until it is written: a save asks twice for the same. */
const FEW = 100

export type Entity = EntryRow['entity']

/** What people told of these domains, by domain. */
export async function loadEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, EntryRow>> {
  if (domains.length === 0) return new Map()
  const read = () => readEntries(db, entity, domains)
  if (domains.length > FEW) return read()
  const asked = JSON.stringify(domains)
  return new Map(await db.written.recall(`entries ${entity}`, asked, ['entries'], read))
}

async function readEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, EntryRow>> {
  const { condition, keys } = oneOf('domain', domains)
  const rows = await db.all<EntryRow>(
    `select * from entries where entity = $entity and ${condition}`,
    { entity, ...keys },
    'kept',
  )
  return new Map(rows.map(row => [row.domain, row]))
}

const managing = {
  brand: {
    table: 'brands',
    query: 'select domain from brands where source = $by',
    by: 'brand_json',
  },
  property: {
    table: 'publishers',
    query: 'select domain from publishers where valid = $by',
    by: true,
  },
} as const

/** Those of the domains that speak for themselves, by a file of their own. */
export async function managedAmong(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  if (domains.length === 0) return new Set()
  const { table, query, by } = managing[entity]
  const { condition, keys } = oneOf('domain', domains)
  const read = async () => {
    const rows = await db.all<{ domain: string }>(
      `${query} and ${condition}`,
      { by, ...keys },
      'kept',
    )
    return new Set(rows.map(({ domain }) => domain))
  }
  if (domains.length > FEW) return read()
  const asked = JSON.stringify(domains)
  return db.written.recall(`managed ${entity}`, asked, [table], read)
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

/** Writes entries in the place of those of them that may be there. */
export async function replaceEntries(
  db: Database,
  entries: readonly EntryRow[],
  known: readonly EntryRow[] = entries,
): Promise<void> {
  const ids = known.map(({ entry_id }) => entry_id)
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
    keller_type: (document.keller_type as string | undefined) ?? null,
    house_domain: null,
    house_name: null,
    claimed_house_domain: (document.house_domain as string | undefined) ?? null,
    parent_brand: (document.parent_brand as string | undefined) ?? null,
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
