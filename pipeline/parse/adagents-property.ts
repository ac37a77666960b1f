import { isIdentifierHost, parseDomain } from '../core/domain.ts'
import {
  channels,
  hostTypes,
  type Identifier,
  identifierTypes,
  type PropertyEntry,
  propertyTypes,
} from '../model/documents/index.ts'
import { fitItems } from './adagents-size.ts'
import { readDomain } from './addresses.ts'
import { quote, truncate } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'
import { type Example, joinAlternatives, SLUG } from './suggestions.ts'

const VALUE_CHARS = 2_048
const CATEGORIES_MAX = 100
const CATEGORY_CHARS = 128
/** Identifiers with which the next one is compared: all pairs of a long list would take quadratic time. */
const COMPARED_MAX = 50
const knownIdentifierTypes: ReadonlySet<string> = new Set(identifierTypes)
const knownPropertyTypes: ReadonlySet<string> = new Set(propertyTypes)
const knownChannels: ReadonlySet<string> = new Set(channels)

/** Parses a property. Undefined if it has no valid identifier, or names an owner that cannot be read. */
export function parseProperty(part: ObjectReader): PropertyEntry | undefined {
  const publisherDomain = readPublisherDomain(part)
  const identifiers = readIdentifiers(part)
  const propertyId = part.text('property_id')
  if (propertyId !== undefined) part.checkAlphabet('property_id', propertyId, SLUG)
  // A property that is left out is read all the same: its maintainer learns of all its faults at once.
  const property: PropertyEntry = {
    property_type: readPropertyType(part),
    name: readName(part) ?? propertyId ?? identifiers[0]?.value ?? '',
    identifiers,
    tags: part.names('tags', SLUG) ?? [],
    supported_channels: readChannels(part),
  }
  if (publisherDomain === null || identifiers.length === 0) return undefined
  if (propertyId !== undefined) property.property_id = propertyId
  const categories = readCategories(part)
  if (categories.length > 0) {
    property.categories = categories
    const taxonomy = part.value.category_taxonomy
    if (typeof taxonomy === 'string')
      property.category_taxonomy = truncate(taxonomy.trim(), CATEGORY_CHARS)
  }
  if (publisherDomain !== undefined) property.publisher_domain = publisherDomain
  return fitItems(part, 'properties', property)
}

/**
 * Reads the publisher of a property: undefined if it names none, so that the serving domain owns it; null if
 * the name cannot be read, so that nobody does.
 */
function readPublisherDomain(part: ObjectReader): string | undefined | null {
  const value = part.value.publisher_domain
  if (value === undefined) return undefined
  if (value === null) {
    part.error(
      'publisher_domain',
      'wrong_type',
      'is null: name the owner, or leave it out for the serving domain',
    )
    return undefined
  }
  return readDomain(part, 'publisher_domain') ?? null
}

/** Reads categories. The specification does not define them, so invalid ones are ignored silently. */
function readCategories({ value: { categories } }: ObjectReader): string[] {
  if (!Array.isArray(categories)) return []
  const texts = categories.slice(0, CATEGORIES_MAX).filter(item => typeof item === 'string')
  const short = texts
    .map(text => text.trim())
    .filter(text => text !== '' && text.length <= CATEGORY_CHARS)
  return [...new Set(short)]
}

function readPropertyType(part: ObjectReader): string {
  const type = part.requiredText('property_type')
  if (type === undefined) {
    if (!part.has('property_type'))
      part.error('property_type', 'missing', `is missing, ${propertyTypeRule}`)
    return 'unknown'
  }
  if (!knownPropertyTypes.has(type)) part.notAllowed('property_type', type, propertyTypes)
  return type
}
const propertyTypeRule = `must be ${joinAlternatives(propertyTypes)}`

function readName(part: ObjectReader): string | undefined {
  if (!part.has('name'))
    part.error('name', 'missing', 'is missing: give it a name that people know')
  return part.requiredLabel('name')
}

function readIdentifiers(part: ObjectReader): Identifier[] {
  const identifiers: Identifier[] = []
  for (const item of part.parts('identifiers', formatIdentifier)) {
    const identifier = readIdentifier(item)
    if (identifier === undefined) continue
    if (identifiers.length < COMPARED_MAX && identifiers.some(known => isSame(known, identifier))) {
      item.warn('value', 'repeated', `repeats ${quote(identifier.value)}`)
    } else identifiers.push(identifier)
  }
  if (identifiers.length === 0) reportNoIdentifier(part)
  return identifiers
}

const formatIdentifier: Example = (quoted = '"acme.example"') =>
  `{"type": "domain", "value": ${quoted}}`
const EXAMPLE = `[${formatIdentifier()}]`
/** Longest list that a repair writes. */
const MISPLACED_MAX = 3
/** Keys under which files name a property where its identifiers belong. */
const misplacedKeys = ['domain', 'domains', 'url', 'website', 'identifier', 'bundle_id'] as const

function reportNoIdentifier(part: ObjectReader): void {
  const leftOut = 'so the property was left out'
  const key = misplacedKeys.find(misplaced => part.has(misplaced))
  if (key !== undefined && !part.has('identifiers')) {
    const form = `"identifiers": ${formatMisplaced(key, part.value[key]) ?? EXAMPLE}`
    part.error(key, 'misplaced', `stands where identifiers belong, ${leftOut}: write ${form}`)
    return
  }
  if (part.isReported('identifiers')) return
  const problem = part.has('identifiers') ? 'is empty' : 'is missing'
  const code = part.has('identifiers') ? 'empty' : 'missing'
  part.error('identifiers', code, `${problem}, ${leftOut}: write ${EXAMPLE}`)
}

/** Writes what is in the place of identifiers as such; undefined if it is long, or of a type that nobody can tell. */
function formatMisplaced(key: (typeof misplacedKeys)[number], value: unknown): string | undefined {
  if (key === 'identifier') return undefined
  if (key === 'bundle_id')
    return typeof value === 'string'
      ? `[{"type": ${quote(key)}, "value": ${quote(value)}}]`
      : undefined
  const written = [value].flat()
  const hosts = written.flatMap(item => {
    const host = typeof item === 'string' ? toHost(item.trim()) : ''
    return parseDomain(host) === undefined ? [] : [formatIdentifier(quote(host))]
  })
  const isWritable = hosts.length === written.length && hosts.length <= MISPLACED_MAX
  return isWritable && hosts.length > 0 ? `[${hosts.join(', ')}]` : undefined
}

const toHost = (value: string) => value.replace(/^https?:\/\//i, '').replace(/[/?#].*$/s, '')

function readIdentifier(part: ObjectReader): Identifier | undefined {
  const type = part.requiredText('type')
  const value = part.requiredText('value', VALUE_CHARS)
  if (!part.has('type'))
    part.error('type', 'missing', 'is missing: say what kind of identifier it is, such as domain')
  if (!part.has('value'))
    part.error('value', 'missing', 'is missing: write the identifier, such as acme.example')
  if (type !== undefined && !knownIdentifierTypes.has(type)) {
    part.notAllowed('type', type, identifierTypes)
    return undefined
  }
  if (type === undefined || value === undefined) return undefined
  if (hostTypes.has(type) && !checkDomainValue(part, value)) return undefined
  return { type, value }
}

function checkDomainValue(part: ObjectReader, value: string): boolean {
  if (!isIdentifierHost(value)) {
    part.error(
      'value',
      'bad_domain',
      `is ${quote(value)} but must be a domain name such as acme.example`,
    )
    return false
  }
  const host = toHost(value)
  if (host !== value)
    part.warn(
      'value',
      'imprecise',
      `is the URL ${quote(value)}, not a domain: write ${quote(host)}`,
    )
  return true
}

function isSame(a: Identifier, b: Identifier): boolean {
  return a.type === b.type && a.value === b.value
}

function readChannels(part: ObjectReader): string[] {
  const names = part.texts('supported_channels') ?? []
  const known = names.filter(name => knownChannels.has(name))
  const unknown = names.find(name => !knownChannels.has(name))
  if (unknown !== undefined) part.notAllowed('supported_channels', unknown, channels, 'has')
  return known
}
