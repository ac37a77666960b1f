import {
  type CollectionEntry,
  collectionKinds,
  collectionStatuses,
  distributionTypes,
  type Identifier,
  type PlacementEntry,
  type TagMap,
} from '../model/documents/index.ts'
import { buildPropertyIds } from './adagents-referable.ts'
import { readDomain } from './addresses.ts'
import { quote } from './faults.ts'
import { isObject, ObjectReader, optional } from './object-reader.ts'
import { SLUG } from './suggestions.ts'

const VALUE_CHARS = 2_048
const EXAMPLE = '{"type": "rss_url", "value": "https://acme.example/feed.xml"}'
const NO_IDENTIFIER = `must list at least one identifier: write [${EXAMPLE}]`
const knownDistributionTypes: ReadonlySet<string> = new Set(distributionTypes)

const collectionFields = new Set(['collection_id', 'name', 'kind', 'status', 'distribution'])

export function parseCollection(part: ObjectReader): CollectionEntry | undefined {
  const id = readId(part, 'collection_id')
  if (id === undefined) return undefined
  return {
    collection_id: id,
    name: readName(part) ?? id,
    kind: part.oneOf('kind', collectionKinds) ?? 'series',
    ...optional('status', part.oneOf('status', collectionStatuses)),
    distribution: part.parts('distribution').flatMap(readDistribution),
    manifest: part.rest(collectionFields),
  }
}

function readDistribution(part: ObjectReader): CollectionEntry['distribution'] {
  const domain = readDomain(part, 'publisher_domain')
  const identifiers = part.parts('identifiers').flatMap(readDistributionId)
  if (identifiers.length === 0 && !part.isReported('identifiers'))
    part.error('identifiers', 'empty', NO_IDENTIFIER)
  if (domain === undefined || identifiers.length === 0) return []
  return [{ publisher_domain: domain, identifiers }]
}

function readDistributionId(part: ObjectReader): Identifier[] {
  const type = part.requiredText('type')
  const value = part.requiredText('value', VALUE_CHARS)
  for (const key of ['type', 'value']) {
    if (!part.has(key)) part.error(key, 'missing', `is missing: write ${EXAMPLE}`)
  }
  if (type === undefined || value === undefined) return []
  if (knownDistributionTypes.has(type)) return [{ type, value }]
  part.notAllowed('type', type, distributionTypes)
  return []
}

const placementFields = new Set([
  'placement_id',
  'name',
  'tags',
  'property_ids',
  'property_tags',
  'collection_ids',
])

export function parsePlacement(part: ObjectReader, root: ObjectReader): PlacementEntry | undefined {
  const id = readId(part, 'placement_id')
  if (id === undefined) return undefined
  if (!part.has('property_ids') && !part.has('property_tags')) {
    part.error(
      'property_ids',
      'missing',
      'and property_tags are both missing: say where the placement is',
    )
  }
  for (const key of ['property_ids', 'property_tags']) {
    const list = part.value[key]
    if (!Array.isArray(list) || list.length > 0) continue
    part.warn(key, 'incomplete', 'is empty: name at least one, or leave it out')
  }
  return {
    placement_id: id,
    name: readName(part) ?? id,
    tags: part.texts('tags') ?? [],
    ...optional('property_ids', part.names('property_ids', buildPropertyIds(root))),
    ...optional('property_tags', part.names('property_tags', SLUG)),
    ...optional('collection_ids', part.restriction('collection_ids')),
    manifest: part.rest(placementFields),
  }
}

/** Reads the id that everything else refers to; without one the item was left out. */
export function readId(part: ObjectReader, key: string): string | undefined {
  const id = part.requiredText(key)
  if (id === undefined && !part.has(key))
    part.error(key, 'missing', 'is missing, so the item was left out: give it an id of its own')
  return id
}

export function readName(part: ObjectReader): string | undefined {
  if (!part.has('name'))
    part.error('name', 'missing', 'is missing: give it a name that people know')
  return part.requiredLabel('name')
}

/** Reads tags and their meanings for people. They select nothing. */
export function readTagMap(part: ObjectReader, key: string): TagMap | undefined {
  const map = part.part(key)
  if (map === undefined) return undefined
  const tags: TagMap = {}
  for (const [tag, value] of Object.entries(map.value)) {
    if (!isObject(value)) {
      map.error(
        tag,
        'wrong_type',
        `must be an object with a name and a description, not ${quote(value)}`,
      )
      continue
    }
    const item = new ObjectReader(value, map.path(tag), map.faults)
    if (!item.has('name')) item.error('name', 'missing', 'is missing: give the tag a name')
    if (!item.has('description')) {
      item.warn('description', 'incomplete', 'is missing: say what the tag means')
    }
    const description = item.label('description', 2_000) ?? ''
    tags[tag] = { name: item.requiredLabel('name') ?? tag, description }
  }
  return tags
}
