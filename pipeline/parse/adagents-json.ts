import {
  type AdagentsDocument,
  type AdagentsInline,
  type AdagentsPointer,
  type AgentEntry,
  catalogLists,
  leftOutLists,
} from '../model/documents/index.ts'
import { ADAGENTS_SCHEMA } from '../model/hosted.ts'
import type { Accepted, AcceptedLists } from './accepted-items.ts'
import { parseCollection, parsePlacement, readTagMap } from './adagents-catalog.ts'
import { limitCatalog } from './adagents-catalog-reach.ts'
import { parseEntry } from './adagents-entry.ts'
import { checkFormats } from './adagents-formats.ts'
import { parseProperty } from './adagents-property.ts'
import { leaveOutBroad } from './adagents-reach.ts'
import { checkReferences } from './adagents-references.ts'
import { readRevoked } from './adagents-revoked.ts'
import { parseSignal } from './adagents-signal.ts'
import { checkSize, fitItems } from './adagents-size.ts'
import { checkOtherFile, readLocation } from './addresses.ts'
import { quote } from './faults.ts'
import { hashFields } from './field-hashes.ts'
import { type ObjectReader, optional } from './object-reader.ts'

/** Members that hold the content of a file; the others describe it. */
const contentLists = new Set([
  'authorized_agents',
  'properties',
  'collections',
  'placements',
  'formats',
  'signals',
  'revoked_publisher_domains',
])

/**
 * Parses an adagents.json that `domain` serves at its well-known place; undefined for the target of a
 * pointer, which must be the file itself and not another pointer, or if it is not known (`mayPoint`). Returns
 * undefined if the file has neither a location nor any known list.
 */
export function parseAdagents(
  root: ObjectReader,
  domain: string | undefined,
  mayPoint = domain !== undefined,
): AdagentsDocument | undefined {
  checkDescription(root)
  const location = readLocation(root, 'authoritative_location')
  if (location === undefined) return readInline(root, domain)
  if (mayPoint) {
    checkOtherFile(root, location, { kind: 'adagents.json', domain })
    return readPointer(root, location)
  }
  const rule = 'point to the file that holds the agents itself'
  root.error('authoritative_location', 'nested_pointer', `points on to a further file: ${rule}`)
  return undefined
}

function readPointer(root: ObjectReader, location: string): AdagentsPointer {
  if (hasContent(root)) {
    root.warn(
      'authoritative_location',
      'ambiguous',
      'is given together with lists, which were not read: keep either this URL or the lists',
    )
  }
  const lastUpdated = root.dateTime('last_updated', false)
  return {
    variant: 'pointer',
    authoritative_location: location,
    ...optional('last_updated', lastUpdated),
  }
}

function hasContent(root: ObjectReader): boolean {
  for (const key of contentLists) if (Array.isArray(root.value[key])) return true
  return false
}

/** Tells whether a file describes something, so that it may authorize nobody. */
function hasCatalog(root: ObjectReader): boolean {
  return catalogLists.some(key => {
    const list = root.value[key]
    return Array.isArray(list) && list.length > 0
  })
}

function readInline(root: ObjectReader, domain: string | undefined): AdagentsInline | undefined {
  const rule = 'list the agents that can sell your ads in authorized_agents'
  if (!hasContent(root)) {
    // A pointer that cannot be used is reported, and is what its maintainer meant the file to be.
    if (!root.has('authoritative_location'))
      root.error('root', 'empty', `lists no agents, properties or anything else: ${rule}`)
    return undefined
  }
  if (!root.has('authorized_agents') && !root.has('authoritative_location')) {
    root.error(
      'authorized_agents',
      'missing',
      `is missing: ${hasCatalog(root) ? `${rule}, or write [] for none` : rule}`,
    )
  }
  const { leftOutAgents, ...accepted } = readLists(root, domain)
  const document: AdagentsInline = {
    variant: 'inline',
    agents: accepted.agents.map(({ item }) => item),
    properties: accepted.properties.map(({ item }) => item),
    collections: accepted.collections.map(({ item }) => item),
    placements: accepted.placements.map(({ item }) => item),
    formats: accepted.formats.map(format => format.value),
    signals: accepted.signals.map(({ item }) => item),
    ...readTagMaps(root),
    revoked_publisher_domains: readRevoked(root),
    ...readCatalogFacts(root),
    fields: hashFields(root.value, contentLists),
  }
  const { leftOut } = root.faults
  if (leftOut.size > 0) document.left_out = leftOutLists.filter(list => leftOut.has(list))
  if (leftOutAgents.length > 0) document.left_out_agents = leftOutAgents
  checkFormats(root, accepted)
  checkReferences(root, accepted, document, domain)
  checkSize(root, document, domain)
  return document
}

/**
 * Parses the items of each list; leaves out items that are invalid, and those that reach too many properties.
 */
function readLists(
  root: ObjectReader,
  domain: string | undefined,
): AcceptedLists & { leftOutAgents: AgentEntry[] } {
  const agents = readAgents(root)
  const properties = acceptItems(root, 'properties', parseProperty)
  const listed = properties.map(({ item }) => item)
  const placements = acceptItems(root, 'placements', part => parsePlacement(part, root))
  const formats = root.parts('formats')
  const broad = leaveOutBroad(root, agents, listed, domain)
  return {
    agents: broad.agents,
    leftOutAgents: broad.leftOut,
    properties,
    collections: acceptItems(root, 'collections', part =>
      fitItems(part, 'collections', parseCollection(part)),
    ),
    ...limitCatalog(root, { placements, formats }, listed, agents),
    signals: acceptItems(root, 'signals', parseSignal),
  }
}

/** Reads the entries; each keeps its position in the file, also after dropped entries. */
function readAgents(root: ObjectReader): AcceptedLists['agents'] {
  const agents: AcceptedLists['agents'] = []
  for (const part of root.parts('authorized_agents')) {
    const item = parseEntry(part, root)
    if (item !== undefined) agents.push({ part, item })
  }
  return agents
}

/** Parses each item of a list and keeps those that are valid, with their place in the file. */
function acceptItems<T>(
  root: ObjectReader,
  key: string,
  parse: (part: ObjectReader) => T | undefined,
): Accepted<T>[] {
  const accepted: Accepted<T>[] = []
  for (const part of root.parts(key)) {
    const item = parse(part)
    if (item !== undefined) accepted.push({ part, item })
  }
  return accepted
}

function readTagMaps(
  root: ObjectReader,
): Pick<AdagentsInline, 'tags' | 'placement_tags' | 'signal_tags'> {
  return {
    ...optional('tags', readTagMap(root, 'tags')),
    ...optional('placement_tags', readTagMap(root, 'placement_tags')),
    ...optional('signal_tags', readTagMap(root, 'signal_tags')),
  }
}

/** Reads what the file says about itself as a catalog. */
function readCatalogFacts(root: ObjectReader): Partial<AdagentsInline> {
  const supersededBy = readLocation(root, 'superseded_by')
  if (supersededBy !== undefined) {
    root.warn(
      'superseded_by',
      'superseded',
      `says that ${supersededBy} replaces this file: read that one`,
    )
  }
  return {
    ...optional('superseded_by', supersededBy),
    ...optional('catalog_etag', root.text('catalog_etag')),
    ...optional('catalog_role', root.text('catalog_role')),
    ...optional('last_updated', root.dateTime('last_updated', false)),
  }
}

/** Checks the members that describe the file. `contact` is checked, and never quoted. */
function checkDescription(root: ObjectReader): void {
  if (!root.has('$schema'))
    root.warn('$schema', 'missing', `is missing: write ${quote(ADAGENTS_SCHEMA)}`)
  else root.text('$schema', 2_048)
  if (!root.has('last_updated')) {
    root.warn(
      'last_updated',
      'missing',
      'is missing: give the time of the last change, such as 2026-01-31T09:00:00Z',
    )
  }
  root.parts('property_features')
  const contact = root.part('contact', '{"name": "…", "email": "…"}')
  if (contact && typeof contact.value.name !== 'string')
    contact.error('name', 'missing', 'is missing: add your company name, such as "Acme Media"')
}
