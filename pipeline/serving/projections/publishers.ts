import { loadContacts } from '../../accounts/editors.ts'
import type { Accounts } from '../../accounts/store.ts'
import { groupBy } from '../../core/group.ts'
import type { BrandRow, EntryRow, PropertyRow, PublisherRow } from '../../model/rows.ts'
import { listPublisherFiles } from '../../resolve/deciding-files.ts'
import type { Database } from '../../store/duckdb.ts'
import { loadLiveEntries, publisherRows } from '../../store/entries.ts'
import { loadGrants } from '../../store/grant-rows.ts'
import { encodeDocument } from '../document-value.ts'
import {
  type Surroundings,
  toDomainLookup,
  toHostedResolution,
  toPropertyResolution,
  toPublisherLookup,
} from '../documents.ts'
import type { Entry } from '../lmdb.ts'
import { projectAuthority } from './authority.ts'
import type { Scope } from './change-scope.ts'

/**
 * Publishers as their files show them; one whose file does not stand, or was never there, by what
 * people told of it: its lookup is made of that when it is asked for.
 */
export async function projectPublishers(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<Entry[]> {
  const publishers = scope.known
    ? [...(await publisherRows.read(index, scope.known.publishers)).values()]
    : await index.all<PublisherRow>(
        `select * from publishers where domain in ${scope.publishers}`,
        scope.parameters,
        scope.planning,
      )
  const crawled = await crawledEntries(index, publishers, scope)
  const valid = new Set(publishers.flatMap(row => (row.valid ? row.domain : [])))
  const told =
    scope.hosts === '' && publishers.length === 0
      ? []
      : await hostedEntries(index, accounts, valid, scope)
  const over = new Set(told.map(({ space, key }) => `${space} ${key}`))
  return [...crawled.filter(({ space, key }) => !over.has(`${space} ${key}`)), ...told]
}

async function hostedEntries(
  index: Database,
  accounts: Accounts,
  valid: ReadonlySet<string>,
  { publishers, known, parameters, planning, at }: Scope,
): Promise<Entry[]> {
  const entries = known
    ? [...(await loadLiveEntries(index, 'property', known.publishers)).values()]
    : await index.all<EntryRow>(
        `select * from entries
         where entity = $entity and status = $status and domain in ${publishers}`,
        { ...parameters, entity: 'property', status: 'live' },
        planning,
      )
  const rows = entries.filter(({ domain }) => !valid.has(domain))
  const ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const contacts = await loadContacts(accounts.db, ids)
  return rows.flatMap(row => {
    const contact = contacts.get(row.contact_id ?? '')
    const value = encodeDocument(toHostedResolution(row, contact), at)
    return [
      { space: 'property' as const, key: row.domain, value },
      { space: 'publisher' as const, key: row.domain, value: undefined },
    ]
  })
}

async function crawledEntries(
  index: Database,
  publishers: readonly PublisherRow[],
  scope: Scope,
): Promise<Entry[]> {
  const { parameters, at } = scope
  if (publishers.length === 0) return []
  const owned = `where publisher_domain in ${scope.publishers}`
  const properties = groupBy(
    await index.all<PropertyRow>(
      `select * from properties ${owned} and status != 'removed' and source = 'authoritative' order by status, created_at, property_rid`,
      parameters,
    ),
    row => row.publisher_domain,
  )
  const authorizations = groupBy(
    await loadGrants(index, `${owned} order by entry, id`, parameters),
    row => row.publisher_domain,
  )
  const brands = new Map(
    (
      await index.all<BrandRow>(
        `select * from brands where domain in ${scope.publishers}`,
        parameters,
      )
    ).map(row => [row.domain, row]),
  )
  const networks = await countNetworks(index, scope)
  return publishers.flatMap(publisher => {
    const key = publisher.domain
    const grants = authorizations.get(key) ?? []
    const rows = {
      publisher,
      properties: properties.get(key) ?? [],
      authorizations: grants,
    }
    const state = { ...rows, authorizations: grants.filter(row => row.in_force) }
    const files = listPublisherFiles(publisher)
    const isStocked = rows.properties.length > 0
    const around = { brand: brands.get(key), network: networks.get(key) }
    return [
      {
        space: 'property' as const,
        key,
        value: encodeDocument(toPropertyResolution(state), at, { files }),
      },
      {
        space: 'publisher' as const,
        key,
        value: encodeDocument(toPublisherLookup(state, around), at, { isStocked, files }),
      },
      {
        space: 'lookup' as const,
        key,
        value: encodeDocument(toDomainLookup(state), at, { files }),
      },
      ...projectAuthority(rows, at),
    ]
  })
}

/** Counts the publishers that read their file at each of these domains. */
async function countNetworks(
  index: Database,
  { publishers, parameters }: Scope,
): Promise<Map<string, NonNullable<Surroundings['network']>>> {
  const rows = await index.all<{ manager: string; publisher_count: number; valid_count: number }>(
    `select manager_domain as manager, count(*)::double as publisher_count,
       count(*) filter (valid)::double as valid_count
     from publishers where manager_domain in ${publishers} group by all`,
    parameters,
  )
  return new Map(rows.map(({ manager, ...network }) => [manager, network]))
}
