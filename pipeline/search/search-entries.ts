import { parseUrl } from '../core/url.ts'
import type { PublisherMatch } from '../model/responses/search.ts'
import {
  brandItemColumns,
  brandItemTable,
  brandOrder,
  packBrandFlags,
  toBrandItem,
} from './brand-items.ts'
import { fold, listTypedForms } from './fold.ts'
import {
  listedProperties,
  type PropertyItemRow,
  packPropertyFlags,
  toPropertyListItem,
} from './property-items.ts'
import type { CollectionName } from './search-index.ts'

/** An entry of the search file. */
export interface SearchEntry {
  /** Its names, folded. */
  names: string[]
  /** Other texts by which it is found. */
  aliases: string[]
  flags: number
  /** Item that lists show. */
  item: object
}

/** Item of an agent: what else is known about it may be private, and a reader looks it up. */
export interface FoundAgent {
  agent_url: string
}

/** Rows of a collection, in the order in which lists show them. */
export interface CollectionSource {
  sql: string
  buildEntry(row: Record<string, unknown>): SearchEntry
}

/** Publishers that are found: those with a valid file, and those whose file the registry hosts. */
export const foundPublishers = `(select domain from publishers where valid
  union select domain from entries where entity = 'property' and status = 'live')`
/** Publishers have no names of their own, so those of the domain's brand are used. */
const publishers = `select domain, brand_name, names
  from ${foundPublishers} left join brands using (domain) order by domain`
/** Agents that a file or their own answer names, those that most publishers authorize first. */
const agents = `select agent_url, name
  from agents full join agent_profiles using (agent_url)
  order by coalesce(publisher_count, 0) desc, coalesce(property_count, 0) desc, agent_url`
const brands = `select ${brandItemColumns}, house_name, names from ${brandItemTable} ${brandOrder}`

export const collectionSources: Readonly<Record<CollectionName, CollectionSource>> = {
  brands: {
    sql: brands,
    buildEntry({ house_name: house, names, ...row }) {
      const item = toBrandItem(row)
      return {
        names: foldAll([item.brand_name, ...listLocalized(names), ...listTypedForms(item.domain)]),
        aliases: foldAll(house === null ? [] : [house as string]),
        flags: packBrandFlags(item),
        item,
      }
    },
  },
  publishers: {
    sql: publishers,
    buildEntry({ domain, brand_name, names }) {
      const item: PublisherMatch = { domain: domain as string, member: null }
      return {
        names: foldAll([brand_name, ...listLocalized(names), ...listTypedForms(item.domain)]),
        aliases: [],
        flags: 0,
        item,
      }
    },
  },
  properties: {
    sql: listedProperties,
    buildEntry(row) {
      const item = toPropertyListItem(row as unknown as PropertyItemRow)
      const values = item.identifiers.flatMap(({ value }) => listTypedForms(value))
      return {
        names: foldAll([item.name, ...values, ...listTypedForms(item.publisher_domain)]),
        aliases: [],
        flags: packPropertyFlags(item),
        item,
      }
    },
  },
  agents: {
    sql: agents,
    buildEntry({ agent_url, name }) {
      const url = agent_url as string
      const host = parseUrl(url)?.hostname ?? ''
      return {
        names: foldAll([name, ...listTypedForms(host)]),
        aliases: foldAll([url]),
        flags: 0,
        item: { agent_url: url } satisfies FoundAgent,
      }
    },
  },
}

/** Lists the names of a brand in all languages. */
function listLocalized(names: unknown): string[] {
  return ((names ?? []) as Record<string, string>[]).flatMap(Object.values)
}

/** Folds each distinct text, without empty ones. */
function foldAll(texts: readonly unknown[]): string[] {
  const known = texts.filter(text => typeof text === 'string').map(fold)
  return [...new Set(known)].filter(text => text !== '')
}
