import { fold, formsOf } from '../../core/fold.ts'
import type { PublisherMatch } from '../../model/answers-search.ts'
import { brandFlags, brandItemColumns, brandItemOf, brandOrder } from '../queries/brands.ts'
import {
  listedProperties,
  listedPropertyOf,
  type PropertyItemRow,
  propertyFlags,
} from '../queries/properties.ts'
import type { ShelfName } from './search-index.ts'

/** One thing that can be found. */
export interface SearchEntry {
  /** What it is called, folded. */
  names: string[]
  /** Other texts by which it is found. */
  aside: string[]
  flags: number
  /** What lists show of it. */
  item: object
}

/** What a collection holds, in the order of its list: exactly what lists show. */
export interface ShelfSource {
  sql: string
  entryOf(row: Record<string, unknown>): SearchEntry
}

/** A publisher says its name as the brand of its domain. */
const publishers = `select domain, brand_name, names
  from publishers left join brands using (domain) where valid order by domain`
const brands = `select ${brandItemColumns}, house_name, names from brands ${brandOrder}`

export const shelfSources: Readonly<Record<ShelfName, ShelfSource>> = {
  brands: {
    sql: brands,
    entryOf({ house_name: house, names, ...row }) {
      const item = brandItemOf(row)
      return {
        names: folded([item.brand_name, ...localized(names), ...formsOf(item.domain)]),
        aside: folded(house === null ? [] : [house as string]),
        flags: brandFlags(item),
        item,
      }
    },
  },
  publishers: {
    sql: publishers,
    entryOf({ domain, brand_name, names }) {
      const item: PublisherMatch = { domain: domain as string, member: null }
      return {
        names: folded([brand_name, ...localized(names), ...formsOf(item.domain)]),
        ...{ aside: [], flags: 0, item },
      }
    },
  },
  properties: {
    sql: listedProperties,
    entryOf(row) {
      const item = listedPropertyOf(row as unknown as PropertyItemRow)
      const values = item.identifiers.flatMap(({ value }) => formsOf(value))
      return {
        names: folded([item.name, ...values, ...formsOf(item.publisher_domain)]),
        aside: [],
        flags: propertyFlags(item),
        item,
      }
    },
  },
}

/** The names of a brand in whatever language. */
function localized(names: unknown): string[] {
  return ((names ?? []) as Record<string, string>[]).flatMap(Object.values)
}

/** Each text once, none of them empty. */
function folded(texts: readonly unknown[]): string[] {
  const known = texts.filter(text => typeof text === 'string').map(fold)
  return [...new Set(known)].filter(text => text !== '')
}
