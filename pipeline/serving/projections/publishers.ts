import { loadContacts } from '../../accounts/editors.ts'
import type { Accounts } from '../../accounts/store.ts'
import type { Instant } from '../../core/clock.ts'
import type { PropertyRow, PublisherRow } from '../../model/rows.ts'
import { listPublisherFiles } from '../../resolve/deciding-files.ts'
import type { Database } from '../../store/database.ts'
import { brandRows, loadLiveEntries, publisherRows } from '../../store/entries.ts'
import { loadGrants } from '../../store/grant-rows.ts'
import { inList } from '../../store/in-list.ts'
import { encodeDocument } from '../document-value.ts'
import {
  type PublisherContext,
  toDomainLookup,
  toHostedResolution,
  toPropertyResolution,
  toPublisherLookup,
} from '../documents.ts'
import type { InventoryRows } from '../inventory-record.ts'
import type { Entry } from '../lmdb.ts'
import { projectAuthority } from './authority.ts'
import type { Scope } from './scope.ts'

/**
 * Projects publishers from their files. For one without a valid file the entry that members saved is
 * projected instead, and its lookup is built from that on request.
 */
export async function projectPublishers(
  index: Database,
  accounts: Accounts,
  scope: Scope,
): Promise<Entry[]> {
  const publishers = [...(await publisherRows.read(index, scope.publishers)).values()]
  const crawled = await projectCrawled(index, publishers, scope)
  const valid = new Set(publishers.flatMap(row => (row.valid ? row.domain : [])))
  const entries =
    scope.hosts.length === 0 && publishers.length === 0
      ? []
      : await projectHosted(index, accounts, valid, scope)
  const replaced = new Set(entries.map(({ space, key }) => `${space} ${key}`))
  return [...crawled.filter(({ space, key }) => !replaced.has(`${space} ${key}`)), ...entries]
}

async function projectHosted(
  index: Database,
  accounts: Accounts,
  valid: ReadonlySet<string>,
  { publishers, changedAt }: Scope,
): Promise<Entry[]> {
  const entries = [...(await loadLiveEntries(index, 'property', publishers)).values()]
  const rows = entries.filter(({ domain }) => !valid.has(domain))
  const ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const contacts = loadContacts(accounts.db, ids)
  return rows.flatMap(row => {
    const contact = contacts.get(row.contact_id ?? '')
    const value = encodeDocument(toHostedResolution(row, contact), changedAt)
    return [
      { space: 'property' as const, key: row.domain, value },
      { space: 'publisher' as const, key: row.domain, value: undefined },
    ]
  })
}

async function projectCrawled(
  index: Database,
  publishers: readonly PublisherRow[],
  scope: Scope,
): Promise<Entry[]> {
  if (publishers.length === 0) return []
  const domains = publishers.map(({ domain }) => domain)
  const findContext = await loadContexts(index, domains)
  const rows = await loadInventories(index, publishers)
  return rows.flatMap(row => buildEntries(row, findContext(row.publisher.domain), scope.changedAt))
}

/** Loads the rows of publishers that are projected. */
async function loadInventories(
  index: Database,
  publishers: readonly PublisherRow[],
): Promise<InventoryRows[]> {
  const { condition, keys } = inList(
    'publisher_domain',
    publishers.map(({ domain }) => domain),
  )
  const properties = Map.groupBy(
    await index.all<PropertyRow>(
      `select * from properties where ${condition} and status != 'removed' and source = 'authoritative'
       order by status, created_at, property_rid`,
      keys,
    ),
    row => row.publisher_domain,
  )
  const authorizations = Map.groupBy(
    await loadGrants(index, `where ${condition} order by entry, id`, keys),
    row => row.publisher_domain,
  )
  return publishers.map(publisher => ({
    publisher,
    properties: properties.get(publisher.domain) ?? [],
    authorizations: authorizations.get(publisher.domain) ?? [],
  }))
}

/** Loads the brands of publishers’ domains, and the sizes of the networks that these domains manage. */
async function loadContexts(
  index: Database,
  domains: readonly string[],
): Promise<(domain: string) => PublisherContext> {
  const brands = await brandRows.read(index, domains)
  const networks = await countNetworks(index, domains)
  return domain => ({ brand: brands.get(domain), network: networks.get(domain) })
}

function buildEntries(rows: InventoryRows, context: PublisherContext, changedAt: Instant): Entry[] {
  const { publisher, properties, authorizations } = rows
  const key = publisher.domain
  const state = {
    publisher,
    properties: [...properties],
    authorizations: authorizations.filter(row => row.in_force),
  }
  const files = listPublisherFiles(publisher)
  const hasInventory = properties.length > 0
  return [
    {
      space: 'property' as const,
      key,
      value: encodeDocument(toPropertyResolution(state), changedAt, { files }),
    },
    {
      space: 'publisher' as const,
      key,
      value: encodeDocument(toPublisherLookup(state, context), changedAt, { hasInventory, files }),
    },
    {
      space: 'lookup' as const,
      key,
      value: encodeDocument(toDomainLookup(state), changedAt, { files }),
    },
    ...projectAuthority(rows, changedAt),
  ]
}

/** Counts the publishers whose manager is each of these domains. */
async function countNetworks(
  index: Database,
  domains: readonly string[],
): Promise<Map<string, NonNullable<PublisherContext['network']>>> {
  const { condition, keys } = inList('manager_domain', domains)
  const rows = await index.all<{ manager: string; publisher_count: number; valid_count: number }>(
    `select manager_domain as manager, count(*) as publisher_count,
       count(*) filter (where valid) as valid_count
     from publishers where ${condition} group by manager_domain`,
    keys,
  )
  return new Map(rows.map(({ manager, ...network }) => [manager, network]))
}
