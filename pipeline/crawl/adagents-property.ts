import { parseDomain } from '../core/domain.ts'
import {
  channels,
  type Identifier,
  identifierTypes,
  type PropertyEntry,
  propertyTypes,
} from '../model/documents.ts'
import { readDomain } from './addresses.ts'
import { quote } from './faults.ts'
import { alternatives, type Part, SLUG } from './part.ts'

const VALUE_CHARS = 2_048
const knownIdentifierTypes: ReadonlySet<string> = new Set(identifierTypes)
const knownPropertyTypes: ReadonlySet<string> = new Set(propertyTypes)
const knownChannels: ReadonlySet<string> = new Set(channels)

/** Undefined when nothing can be looked up by it, or when it names an owner that cannot be read. */
export function parseProperty(part: Part): PropertyEntry | undefined {
  const publisherDomain = readPublisherDomain(part)
  const identifiers = readIdentifiers(part)
  if (publisherDomain === null || identifiers.length === 0) return undefined
  const propertyId = part.text('property_id')
  if (propertyId !== undefined) checkSlug(part, 'property_id', propertyId)
  const property: PropertyEntry = {
    property_type: readPropertyType(part),
    name: readName(part) ?? propertyId ?? identifiers[0]!.value,
    identifiers,
    tags: part.names('tags', SLUG) ?? [],
    supported_channels: readChannels(part),
  }
  if (propertyId !== undefined) property.property_id = propertyId
  if (publisherDomain !== undefined) property.publisher_domain = publisherDomain
  return property
}

/** Null when one is named and cannot be read: the property is nobody's, least of all the host's. */
function readPublisherDomain(part: Part): string | undefined | null {
  const value = part.value.publisher_domain
  if (value === undefined) return undefined
  if (value === null) {
    part.error(
      'publisher_domain',
      'missing',
      'is null: name the owner, or leave it out for the serving domain',
    )
    return undefined
  }
  return readDomain(part, 'publisher_domain') ?? null
}

function readPropertyType(part: Part): string {
  const type = part.text('property_type')
  if (type === undefined) {
    if (!part.has('property_type'))
      part.error('property_type', 'missing', `is missing, ${propertyTypeRule}`)
    return 'unknown'
  }
  if (!knownPropertyTypes.has(type)) {
    part.error('property_type', 'not_allowed', `is ${quote(type)}, ${propertyTypeRule}`)
  }
  return type
}
const propertyTypeRule = `must be ${alternatives(propertyTypes)}`

function readName(part: Part): string | undefined {
  if (!part.has('name'))
    part.error('name', 'missing', 'is missing: give it a name that people know')
  return part.label('name')
}

function readIdentifiers(part: Part): Identifier[] {
  const identifiers: Identifier[] = []
  for (const item of part.parts('identifiers')) {
    const identifier = readIdentifier(item)
    if (identifier === undefined) continue
    if (identifiers.length < 50 && identifiers.some(known => isSame(known, identifier))) {
      item.warn('value', 'repeated', `repeats ${quote(identifier.value)}`)
    } else identifiers.push(identifier)
  }
  if (identifiers.length === 0) {
    part.error('identifiers', 'empty', 'holds no valid identifier, so the property was left out')
  }
  return identifiers
}

function readIdentifier(part: Part): Identifier | undefined {
  const type = part.text('type')
  const value = part.text('value', VALUE_CHARS)
  if (!part.has('type'))
    part.error('type', 'missing', 'is missing: say what kind of identifier it is')
  if (!part.has('value')) part.error('value', 'missing', 'is missing')
  if (type !== undefined && !knownIdentifierTypes.has(type)) {
    part.error('type', 'not_allowed', `is ${quote(type)}, must be ${alternatives(identifierTypes)}`)
    return undefined
  }
  if (type === undefined || value === undefined) return undefined
  if ((type === 'domain' || type === 'subdomain') && !checkDomainValue(part, value)) {
    return undefined
  }
  return { type, value }
}

function checkDomainValue(part: Part, value: string): boolean {
  const host = value.replace(/^https?:\/\//i, '').replace(/[/?#].*$/s, '')
  if (parseDomain(host.replace(/^\*\./, '').replace(/\.$/, '')) === undefined) {
    part.error(
      'value',
      'bad_domain',
      `is ${quote(value)}, must be a domain name such as acme.example`,
    )
    return false
  }
  if (host !== value) part.warn('value', 'imprecise', `is ${quote(value)}: write the bare domain`)
  return true
}

function isSame(a: Identifier, b: Identifier): boolean {
  return a.type === b.type && a.value === b.value
}

function checkSlug(part: Part, key: string, value: string): void {
  if (!SLUG.pattern.test(value)) {
    part.error(
      key,
      'bad_pattern',
      `is ${quote(value)}, must be lower-case letters, digits and _ only`,
    )
  }
}

function readChannels(part: Part): string[] {
  const names = part.texts('supported_channels') ?? []
  const known = names.filter(name => knownChannels.has(name))
  if (known.length < names.length) {
    const odd = names.find(name => !knownChannels.has(name))
    part.error(
      'supported_channels',
      'not_allowed',
      `has ${quote(odd)}, must be of ${alternatives(channels)}`,
    )
  }
  return known
}
