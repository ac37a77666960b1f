import { parseDomain } from '../core/domain.ts'
import type { BrandPromotion } from '../model/documents/index.ts'
import { Faults } from './faults.ts'
import { isObject, type JsonObject, ObjectReader } from './object-reader.ts'

/** Schema of brand.json before its third version; it was never part of the published ones. */
const LEGACY_SCHEMA = 'https://schemas.adcontextprotocol.org/brand/v1/brand.json'
const WARNINGS_MAX = 20

/** Members of a legacy file that describe its brand where the brand itself does not. */
const descriptive = ['description', 'logos', 'colors', 'tone', 'tagline', 'industries']

export interface PromotedBrand {
  /** The brand as the file of one brand. */
  root: ObjectReader
  promotion: BrandPromotion
}

/**
 * Reads a legacy file as the file of the one brand that owns the website which serves it. Only this identity
 * is taken over: what the file says of houses, of other brands and of other properties was no statement in the
 * present sense. Undefined for every other file, and where it is not clear which brand is meant.
 */
export function readLegacyBrand(
  { value, faults }: ObjectReader,
  domain: string | undefined,
): PromotedBrand | undefined {
  if (value.$schema !== LEGACY_SCHEMA || domain === undefined) return undefined
  const owning = listObjects(value.brands).flatMap(brand =>
    listObjects(brand.properties)
      .filter(property => isOwnWebsite(property, domain))
      .map(property => ({ brand, property })),
  )
  const [found] = owning
  if (found === undefined || owning.length > 1) {
    const rule = `one owned website ${domain} is needed, there are ${owning.length}`
    faults.warn('brands', 'outdated', `are of an early form and were not promoted: ${rule}`)
    return undefined
  }
  const warned = new Faults(WARNINGS_MAX)
  const file = buildCanonical(value, found.brand, found.property, warned)
  const warnings = warned.list().map(({ field, message }) => ({ field, message }))
  for (const { field, message } of warnings) faults.warn(field, 'outdated', message)
  return {
    root: new ObjectReader(file, '', faults),
    promotion: { schema: LEGACY_SCHEMA, warnings },
  }
}

function buildCanonical(
  file: JsonObject,
  { name, ...brand }: JsonObject,
  website: JsonObject,
  warned: Faults,
): JsonObject {
  warned.warn('$schema', 'outdated', 'names an early form: only the identity of the brand was read')
  const isNamed = typeof name === 'string' && !Array.isArray(brand.names)
  if (isNamed) warned.warn('brands.name', 'outdated', 'was read as a name of unknown language')
  for (const key of ['house', 'legal_operator', 'related_domains', 'operator_domain_evidence']) {
    if (file[key] !== undefined) warned.warn(key, 'outdated', 'was not read: it proves nothing')
  }
  if (listObjects(file.brands).length > 1)
    warned.warn('brands', 'outdated', 'of other websites were not read')
  if (listObjects(brand.properties).length > 1)
    warned.warn('brands.properties', 'outdated', 'but for this website were not read')
  const described = descriptive.filter(key => file[key] !== undefined)
  const logo = typeof file.logo === 'string' ? { logos: [{ url: file.logo }] } : {}
  return {
    ...logo,
    ...Object.fromEntries(described.map(key => [key, file[key]])),
    ...brand,
    ...(isNamed ? { names: [{ und: name }] } : {}),
    properties: [website],
  }
}

function isOwnWebsite(property: JsonObject, domain: string): boolean {
  const { type, identifier, relationship: how } = property
  const isOwned = how === undefined || how === 'owned'
  return type === 'website' && isOwned && parseDomain(identifier) === domain
}

function listObjects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
