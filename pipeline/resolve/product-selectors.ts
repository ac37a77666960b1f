/** Selects the properties of a publisher on which a product is sold. */
export interface ProductSelector {
  publisher_domain: string | undefined
  selection_type: 'all' | 'by_id' | 'by_tag'
  property_ids: readonly string[]
  property_tags: readonly string[]
  /** Only properties of these types; of any type if undefined. */
  property_types: readonly string[] | undefined
}

interface Selectable {
  property_id: string | null
  property_type: string
  tags: readonly string[]
  is_active: boolean
}

/** Result of a selector for one requested id, or one active property. */
export interface Requested<Property> {
  /** The requested id; absent if properties were selected otherwise. */
  id?: string
  /** Active properties with that id, possibly none; else the one property. */
  properties: Property[]
}

/**
 * Lists what a selector asks for: an item for each id that it names, known or not; else an item for each
 * active property that it selects.
 */
export function selectRequested<Property extends Selectable>(
  { selection_type, property_ids, property_tags, property_types }: ProductSelector,
  properties: readonly Property[],
): Requested<Property>[] {
  const active = properties.filter(
    property => property.is_active && (property_types?.includes(property.property_type) ?? true),
  )
  if (selection_type === 'by_id') {
    const byId = new Map<string, Property[]>()
    for (const property of active) {
      if (property.property_id === null) continue
      byId.set(property.property_id, [...(byId.get(property.property_id) ?? []), property])
    }
    return property_ids.map(id => ({ id, properties: byId.get(id) ?? [] }))
  }
  const tags = new Set(property_tags)
  const isSelected = (property: Property) =>
    selection_type === 'all' || property.tags.some(tag => tags.has(tag))
  return active.filter(isSelected).map(property => ({ properties: [property] }))
}
