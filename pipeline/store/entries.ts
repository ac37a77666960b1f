import type { Domain } from '../core/domain.ts'
import type { BrandRow, EntryRow, PublisherRow } from '../model/rows.ts'
import type { HostedProperty } from '../model/save.ts'
import type { EntryHouse } from '../resolve/entry-house.ts'
import { fillIdentifiers } from '../resolve/own-domain.ts'
import type { Database } from './database.ts'
import { inList } from './in-list.ts'
import { KeyedRows } from './keyed-rows.ts'

export type Entity = EntryRow['entity']

const toKey = ({ entity, domain }: Pick<EntryRow, 'entity' | 'domain'>) => `${entity} ${domain}`

const entryRows = new KeyedRows<EntryRow>({ table: 'entries', id: 'entry_id', toKey, find })

/** Brands by their domain. */
export const brandRows = indexByDomain<BrandRow>('brands')

/** Publishers by their domain. */
export const publisherRows = indexByDomain<PublisherRow>('publishers')

function indexByDomain<Row extends { domain: string }>(table: string) {
  return new KeyedRows<Row>({
    table,
    id: 'domain',
    toKey: ({ domain }) => domain,
    find(db, domains) {
      const { condition, keys } = inList('domain', domains)
      return db.all<Row>(`select * from ${table} where ${condition}`, keys)
    },
  })
}

async function find(db: Database, asked: readonly string[]): Promise<EntryRow[]> {
  const rows: EntryRow[] = []
  for (const entity of ['brand', 'property'] as const) {
    const ofKind = asked.filter(key => key.startsWith(`${entity} `))
    if (ofKind.length === 0) continue
    const domains = ofKind.map(key => key.slice(entity.length + 1))
    const { condition, keys } = inList('domain', domains)
    rows.push(
      ...(await db.all<EntryRow>(`select * from entries where entity = $entity and ${condition}`, {
        entity,
        ...keys,
      })),
    )
  }
  return rows
}

/** Loads the community entries of these domains, by domain. */
export async function loadEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, EntryRow>> {
  const rows = await entryRows.read(
    db,
    domains.map(domain => toKey({ entity, domain })),
  )
  return new Map([...rows.values()].map(row => [row.domain, row]))
}

/** Finds the domains that have a file of their own. */
export async function findManaged(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  const managed =
    entity === 'brand'
      ? [...(await brandRows.read(db, domains)).values()].filter(
          ({ source }) => source === 'brand_json',
        )
      : [...(await publisherRows.read(db, domains)).values()].filter(({ valid }) => valid)
  return new Set(managed.map(({ domain }) => domain))
}

/** Loads the shown entries of these domains. */
export async function loadLiveEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<Map<string, EntryRow>> {
  const entries = await loadEntries(db, entity, domains)
  return new Map([...entries].filter(([, { status }]) => status === 'live'))
}

/** Loads the houses that claim these domains, by domain. */
export async function loadClaimingHouses(
  db: Database,
  domains: readonly string[],
): Promise<Map<Domain, Domain[]>> {
  const claims = new Map<Domain, Domain[]>()
  if (domains.length === 0) return claims
  const rows = await db.all<{ domain: Domain; house_domain: Domain }>(
    `select distinct domain, house_domain from house_claims
     where domain in (select value from json_each($domains)) order by domain, house_domain`,
    { domains: JSON.stringify(domains) },
  )
  for (const { domain, house_domain } of rows) {
    claims.set(domain, [...(claims.get(domain) ?? []), house_domain])
  }
  return claims
}

/** Writes entries in the place of those that are there. */
export async function replaceEntries(db: Database, entries: readonly EntryRow[]): Promise<void> {
  await entryRows.replace(db, new Map(entries.map(entry => [toKey(entry), entry])))
}

/** Deletes the entries of these domains. */
export async function removeEntries(
  db: Database,
  entity: Entity,
  domains: readonly string[],
): Promise<void> {
  await entryRows.replace(
    db,
    new Map(domains.map(domain => [toKey({ entity, domain }), undefined])),
  )
}

/** Converts an entry to a brand row, if no document says which brand the domain is; `house` is the one that claims it. */
export function toBrandRow(
  { domain, brand_name, source, document }: EntryRow,
  seq: number,
  house?: EntryHouse,
): BrandRow {
  const { brand_manifest: manifest = null, enrichment } = document
  return {
    domain,
    canonical_id: domain,
    canonical_domain: domain,
    brand_name: brand_name ?? domain,
    source,
    brand_id: null,
    keller_type: (document.keller_type as string | undefined) ?? null,
    house_domain: house?.house_domain ?? null,
    house_name: house?.house_name ?? null,
    claimed_house_domain: house ? null : ((document.house_domain as string | undefined) ?? null),
    parent_brand: (document.parent_brand as string | undefined) ?? null,
    brand_agent_url: null,
    relationship_trust: house ? 'house_only' : null,
    relationship_declared_at: house?.relationship_declared_at ?? null,
    names: null,
    manifest: (enrichment === undefined
      ? manifest
      : { ...(manifest as object), enrichment }) as BrandRow['manifest'],
    seq,
    resolved_location: null,
    promotion: null,
  }
}

/** Reads the properties of a publisher's entry. */
export function readProperties({
  domain,
  document,
}: Pick<EntryRow, 'domain' | 'document'>): HostedProperty[] {
  const properties = (document.properties ?? []) as HostedProperty[]
  return properties.map(property => fillIdentifiers(property, domain))
}
