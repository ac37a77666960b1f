import type { AdagentsInline, AgentEntry, PropertyEntry } from '../model/documents/index.ts'

/** Publishers that a manager's file names explicitly, with the properties it lists for them. */
export interface ManagerScope {
  publishers: ReadonlySet<string>
  /** Top-level properties by the publisher they name. */
  properties: ReadonlyMap<string, PropertyEntry[]>
}

/** Scopes of files that were read before: a manager's file is used for thousands of publishers. */
const scopesByDocument = new WeakMap<AdagentsInline, ManagerScope>()

/**
 * Reads which publishers a manager's file covers: by a selector, a collection, a property of an
 * entry, or an id or tag that selects a top-level property of theirs. Without this check any site
 * could claim a manager's grants by naming the manager. An entry that names no publisher, or
 * selects nothing, covers none.
 */
export function readScope(document: AdagentsInline): ManagerScope {
  const scope = scopesByDocument.get(document) ?? buildScope(document)
  scopesByDocument.set(document, scope)
  return scope
}

function buildScope(document: AdagentsInline): ManagerScope {
  const properties = groupProperties(document.properties, property => [property.publisher_domain])
  const byId = groupProperties(document.properties, property => [property.property_id])
  const byTag = groupProperties(document.properties, property => property.tags)
  const publishers = new Set<string>()
  for (const entry of document.agents) {
    const { collections = [], properties: inline = [], publisher_properties = [] } = entry
    for (const { publisher_domain } of collections) publishers.add(publisher_domain)
    const selectors =
      entry.authorization_type === 'publisher_properties' ? publisher_properties : []
    for (const { publisher_domains } of selectors) {
      for (const domain of publisher_domains) publishers.add(domain)
    }
    const reached = [
      ...(entry.authorization_type === 'inline_properties' ? inline : []),
      ...selectProperties(entry, byId, byTag),
    ]
    for (const { publisher_domain } of reached) {
      if (publisher_domain !== undefined) publishers.add(publisher_domain)
    }
  }
  return { publishers, properties }
}

type Groups = ReadonlyMap<string, PropertyEntry[]>

function selectProperties(entry: AgentEntry, byId: Groups, byTag: Groups): PropertyEntry[] {
  const { authorization_type: type, property_ids = [], property_tags = [] } = entry
  if (type === 'property_ids') return property_ids.flatMap(id => byId.get(id) ?? [])
  if (type === 'property_tags') return property_tags.flatMap(tag => byTag.get(tag) ?? [])
  return []
}

function groupProperties(
  properties: readonly PropertyEntry[],
  listKeys: (property: PropertyEntry) => readonly (string | undefined)[],
): Map<string, PropertyEntry[]> {
  const groups = new Map<string, PropertyEntry[]>()
  for (const property of properties) {
    for (const key of listKeys(property)) {
      if (key === undefined) continue
      const group = groups.get(key)
      if (group) group.push(property)
      else groups.set(key, [property])
    }
  }
  return groups
}
