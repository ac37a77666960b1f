import { parseDomain } from '../core/domain.ts'
import { parseUrl } from '../core/url.ts'
import {
  type BrandEntry,
  type BrandProperty,
  kellerTypes,
  propertyTypes,
  relationships,
  stores,
} from '../model/documents/index.ts'
import { describeFullAddress } from './addresses.ts'
import { readAgents } from './brand-agents.ts'
import { quote } from './faults.ts'
import { type JsonObject, type ObjectReader, optional } from './object-reader.ts'
import { type Example, joinAlternatives, SLUG } from './suggestions.ts'

const URL_CHARS = 2_048
const REGION = /^(?:[A-Z]{2}|global)$/
const knownTypes: ReadonlySet<string> = new Set(propertyTypes)

const parsedKeys: ReadonlySet<string> = new Set([
  'id',
  'names',
  'keller_type',
  'parent_brand',
  'url',
  'properties',
  'agents',
  'brand_agent',
  'rights_agent',
  'contact',
  'house_domain',
])

/** Keys that belong to the file, not to the brand, in a file that is a single brand. */
export const fileKeys: ReadonlySet<string> = new Set([
  '$schema',
  'version',
  'last_updated',
  'house',
  'brands',
  'brand_refs',
  'authorized_operators',
  'authoritative_location',
  'redirect_reason',
  'redirect_effective_at',
  'region',
  'note',
])

/** Parses a brand; undefined without an id. */
export function parseBrand(
  part: ObjectReader,
  excludedKeys?: ReadonlySet<string>,
): BrandEntry | undefined {
  const id = part.requiredText('id')
  if (id === undefined) {
    if (!part.has('id'))
      part.error(
        'id',
        'missing',
        'is missing, so the brand was left out: give it an id such as acme',
      )
    return undefined
  }
  part.checkAlphabet('id', id, SLUG)
  const names = readNames(part)
  return {
    id,
    name: choosePrimaryName(names) ?? id,
    names,
    ...optional('keller_type', part.oneOf('keller_type', kellerTypes)),
    ...optional('parent_brand', part.text('parent_brand')),
    ...optional('url', readUrl(part)),
    properties: readProperties(part),
    agents: readAgents(part),
    manifest: readManifest(part, excludedKeys),
  }
}

/** Tells whether the id and the names of a brand are what the schema allows. */
export function isIdentified({ id, names }: BrandEntry): boolean {
  return SLUG.pattern.test(id) && names.length > 0
}

/** Writes a name of a brand, in English. */
export const formatName: Example = (quoted = '"Acme"') => `{ "en": ${quoted} }`

function readNames(part: ObjectReader): Record<string, string>[] {
  const names: Record<string, string>[] = []
  for (const item of part.parts('names', formatName)) {
    const name: Record<string, string> = {}
    for (const locale of Object.keys(item.value)) {
      const text = item.label(locale)
      if (text !== undefined) name[locale] = text
    }
    const count = Object.keys(item.value).length
    if (count === 0) item.faults.error(item.field, 'empty', 'is empty: write { "en": "the name" }')
    if (count > 1)
      item.faults.warn(
        item.field,
        'imprecise',
        `holds several languages: write one object for each, such as ${formatName()}`,
      )
    if (Object.keys(name).length > 0) names.push(name)
  }
  if (names.length === 0 && !part.isReported('names'))
    part.error('names', 'empty', `contains no name: add at least one, such as ${formatName()}`)
  return names
}

function choosePrimaryName(names: readonly Record<string, string>[]): string | undefined {
  for (const name of names) if (Object.hasOwn(name, 'en')) return name.en
  return names[0] && Object.values(names[0])[0]
}

function readUrl(part: ObjectReader): string | undefined {
  const url = part.text('url', URL_CHARS)
  if (url === undefined) return undefined
  if (/^https?:$/.test(parseUrl(url)?.protocol ?? '')) return url
  part.error(
    'url',
    'bad_address',
    `is ${quote(url)} but must be an address${describeFullAddress(url) ?? ' such as https://acme.example'}`,
  )
  return undefined
}

/** Writes a property that is a website. */
const formatProperty: Example = (quoted = '"acme.example"') =>
  `{ "type": "website", "identifier": ${quoted} }`

function readProperties(part: ObjectReader): BrandProperty[] {
  const properties: BrandProperty[] = []
  for (const item of part.parts('properties', formatProperty)) {
    const property = parseProperty(item)
    if (property !== undefined) properties.push(property)
  }
  return properties
}

/**
 * Parses a property; undefined without an identifier. It is also undefined if the relationship is unknown,
 * which must not count as owned.
 */
function parseProperty(part: ObjectReader): BrandProperty | undefined {
  const type = readType(part)
  const identifier = readIdentifier(part, type)
  const relationship = part.has('relationship')
    ? part.oneOf('relationship', relationships)
    : 'owned'
  const store = part.oneOf('store', stores)
  if (type === 'mobile_app' && store === undefined) {
    part.warn('store', 'missing', 'is missing: say which app store the identifier belongs to')
  }
  if (identifier === undefined || relationship === undefined) return undefined
  return {
    type: type ?? 'website',
    identifier,
    ...optional('store', store),
    ...optional('region', readRegion(part)),
    ...optional('primary', part.flag('primary')),
    relationship,
  }
}

const typeRule = `must be ${joinAlternatives(propertyTypes)}`

function readType(part: ObjectReader): string | undefined {
  const type = part.requiredText('type')
  if (!part.has('type'))
    part.error('type', 'missing', `is missing and was read as website, ${typeRule}`)
  if (type !== undefined && !knownTypes.has(type)) part.notAllowed('type', type, propertyTypes)
  return type
}

function readIdentifier(part: ObjectReader, type: string | undefined): string | undefined {
  const identifier = part.requiredText('identifier', URL_CHARS)
  if (!part.has('identifier')) {
    part.error(
      'identifier',
      'missing',
      'is missing, so the property was left out: write it, such as acme.example',
    )
  }
  if (identifier === undefined || (type ?? 'website') !== 'website') return identifier
  if (parseDomain(identifier) !== undefined) return identifier
  part.error(
    'identifier',
    'bad_domain',
    `is ${quote(identifier)} but must be a bare domain such as acme.example`,
  )
  return undefined
}

function readRegion(part: ObjectReader): string | undefined {
  const region = part.text('region')
  if (region === undefined || REGION.test(region)) return region
  part.error(
    'region',
    'bad_country',
    `is ${quote(region)} but must be a country code such as GB, or global`,
  )
  return undefined
}

function readManifest(
  part: ObjectReader,
  excludedKeys: ReadonlySet<string> | undefined,
): JsonObject {
  return part.rest(excludedKeys ? new Set([...parsedKeys, ...excludedKeys]) : parsedKeys)
}
