import type { AdagentsDocument, AdagentsInline, AdagentsPointer } from '../model/documents.ts'
import { parseCollection, parsePlacement, readTagMap } from './adagents-catalog.ts'
import { parseEntry } from './adagents-entry.ts'
import { checkFormats } from './adagents-formats.ts'
import { parseProperty } from './adagents-property.ts'
import { withinReach } from './adagents-reach.ts'
import { checkReferences } from './adagents-references.ts'
import { readRevoked } from './adagents-revoked.ts'
import { parseSignal } from './adagents-signal.ts'
import { readLocation } from './addresses.ts'
import { fieldHashes } from './field-hashes.ts'
import { given, type Part } from './part.ts'

const lists = new Set([
  'authorized_agents',
  'properties',
  'collections',
  'placements',
  'formats',
  'signals',
  'revoked_publisher_domains',
])

/** An item that was kept, with the part of the file it came from. */
export interface Kept<T> {
  part: Part
  item: T
}

export type KeptLists = {
  [Name in 'agents' | 'properties' | 'collections' | 'placements' | 'signals']: Kept<
    AdagentsInline[Name][number]
  >[]
} & { formats: Part[] }

/**
 * What an adagents.json says. Undefined when it says nothing known: neither where the file is nor
 * any of its lists. A file fetched by address must be the file itself, not another pointer.
 */
export function parseAdagents(
  root: Part,
  domain: string | undefined,
): AdagentsDocument | undefined {
  checkFrame(root)
  const location = readLocation(root, 'authoritative_location')
  if (location === undefined) return readInline(root, domain)
  if (domain !== undefined) return readPointer(root, location)
  const rule = 'a file that another one points to must hold the agents itself'
  root.error('authoritative_location', 'nested_pointer', `points on to a further file: ${rule}`)
  return undefined
}

function readPointer(root: Part, location: string): AdagentsPointer {
  if (hasLists(root)) {
    const rule = 'only authoritative_location counts, the rest was not read'
    root.warn(
      'authoritative_location',
      'ambiguous',
      `stands beside lists: ${rule}; keep one of the two`,
    )
  }
  const lastUpdated = root.moment('last_updated')
  return {
    variant: 'pointer',
    authoritative_location: location,
    ...given('last_updated', lastUpdated),
  }
}

function hasLists(root: Part): boolean {
  for (const key of lists) if (Array.isArray(root.value[key])) return true
  return false
}

function readInline(root: Part, domain: string | undefined): AdagentsInline | undefined {
  if (!root.has('authorized_agents') && !root.has('authoritative_location')) {
    const rule = 'list the agents that may sell, or write [] for none'
    root.error('authorized_agents', 'missing', `is missing: ${rule}`)
  }
  if (!hasLists(root)) {
    root.error(
      'root',
      'empty',
      'holds no list of agents, properties or any other thing: nothing was read',
    )
    return undefined
  }
  const kept = readLists(root, domain)
  const document: AdagentsInline = {
    variant: 'inline',
    agents: kept.agents.map(({ item }) => item),
    properties: kept.properties.map(({ item }) => item),
    collections: kept.collections.map(({ item }) => item),
    placements: kept.placements.map(({ item }) => item),
    formats: kept.formats.map(format => format.value),
    signals: kept.signals.map(({ item }) => item),
    ...readTagMaps(root),
    revoked_publisher_domains: readRevoked(root),
    ...readCatalogNotes(root),
    fields: fieldHashes(root.value, lists),
  }
  checkFormats(root, kept)
  checkReferences(root, kept, document, domain)
  return document
}

function readLists(root: Part, domain: string | undefined): KeptLists {
  const agents = readAgents(root)
  const properties = keep(root, 'properties', parseProperty)
  const listed = properties.map(({ item }) => item)
  return {
    agents: withinReach(root, agents, listed, domain),
    properties,
    collections: keep(root, 'collections', parseCollection),
    placements: keep(root, 'placements', parsePlacement),
    formats: root.parts('formats'),
    signals: keep(root, 'signals', parseSignal),
  }
}

/** Entries keep the number they have in the file, whatever stands before them. */
function readAgents(root: Part): KeptLists['agents'] {
  const agents: KeptLists['agents'] = []
  for (const part of root.parts('authorized_agents')) {
    const item = parseEntry(part, part.index)
    if (item !== undefined) agents.push({ part, item })
  }
  return agents
}

function keep<T>(root: Part, key: string, parse: (part: Part) => T | undefined): Kept<T>[] {
  const kept: Kept<T>[] = []
  for (const part of root.parts(key)) {
    const item = parse(part)
    if (item !== undefined) kept.push({ part, item })
  }
  return kept
}

function readTagMaps(root: Part): Pick<AdagentsInline, 'tags' | 'placement_tags' | 'signal_tags'> {
  return {
    ...given('tags', readTagMap(root, 'tags')),
    ...given('placement_tags', readTagMap(root, 'placement_tags')),
    ...given('signal_tags', readTagMap(root, 'signal_tags')),
  }
}

function readCatalogNotes(root: Part): Partial<AdagentsInline> {
  const supersededBy = readLocation(root, 'superseded_by')
  if (supersededBy !== undefined) {
    root.warn(
      'superseded_by',
      'superseded',
      `says that ${supersededBy} replaces this file: read that one`,
    )
  }
  return {
    ...given('superseded_by', supersededBy),
    ...given('catalog_etag', root.text('catalog_etag')),
    ...given('catalog_role', root.text('catalog_role')),
    ...given('last_updated', root.moment('last_updated')),
  }
}

/** What every file should carry around its content. `contact` is checked and never quoted. */
function checkFrame(root: Part): void {
  if (!root.has('$schema'))
    root.warn('$schema', 'missing', 'is missing: name the schema the file follows')
  else root.text('$schema', 2_048)
  if (!root.has('last_updated')) {
    root.warn('last_updated', 'missing', 'is missing: say when the file was changed last')
  }
  root.parts('property_features')
  const contact = root.part('contact')
  if (contact && typeof contact.value.name !== 'string')
    contact.error('name', 'missing', 'is missing')
}
