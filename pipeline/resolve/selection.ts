import type { PropertyEntry, Selector } from '../model/documents.ts'

/** Whether a selector's predicate holds for a property of a publisher it names. */
export function selectorReaches(selector: Selector, property: PropertyEntry): boolean {
  switch (selector.selection_type) {
    case 'all':
      return true
    case 'by_id':
      return hasId(selector.property_ids, property)
    case 'by_tag':
      return hasTag(selector.property_tags, property)
  }
}

export function hasId(ids: string[] | undefined, { property_id }: PropertyEntry): boolean {
  return property_id !== undefined && (ids ?? []).includes(property_id)
}

export function hasTag(tags: string[] | undefined, property: PropertyEntry): boolean {
  return (tags ?? []).some(tag => property.tags.includes(tag))
}
