import type { Instant } from '../core/clock.ts'
import { parseDomain } from '../core/domain.ts'
import { AnyBrandFile, brandFiles } from '../model/brand-file/brand-file.ts'
import { type BrandDocument, redirectReasons } from '../model/documents/index.ts'
import type { Fault } from '../model/observation.ts'
import { checkOtherFile, parseShortDomain, readDomain, readLocation } from './addresses.ts'
import { readAgents } from './brand-agents.ts'
import { fileKeys, formatName, isIdentified, parseBrand } from './brand-entry.ts'
import { readPortfolio } from './brand-portfolio.ts'
import { Faults, quote } from './faults.ts'
import { addFormatFaults } from './file-format.ts'
import { warnOfFuture } from './future-times.ts'
import { readLegacyBrand } from './legacy-brand.ts'
import { findMeant, proposePlaceOfHouse, reportMisplaced } from './misplaced-members.ts'
import { reportMisspelled } from './misspelled-members.ts'
import { isObject, type JsonObject, ObjectReader, optional } from './object-reader.ts'
import { readJson, readWritten } from './read-json.ts'
import { listSpellings, SLUG } from './suggestions.ts'

const REGION = /^[A-Z]{2}$/

/**
 * Parses a brand.json. The order of the variants matters: a canonical document may carry agents,
 * and a pointer wins over other members beside it. Undefined when it is no variant, or the document of a brand
 * that does not say which.
 */
export function parseBrandJson(
  root: ObjectReader,
  domain: string | undefined,
): BrandDocument | undefined {
  root.text('$schema', 2_048)
  const promoted = readLegacyBrand(root, domain)
  if (promoted && isCanonical(promoted.root)) {
    const document = readCanonical(promoted.root)
    return document && { ...document, promotion: promoted.promotion }
  }
  const document =
    readAuthoritativeLocation(root, domain) ??
    readHouseRedirect(root, domain) ??
    readHousePortfolio(root, domain)
  if (document === undefined && isCanonical(root)) return readCanonical(root)
  const found = document ?? readBrandAgent(root)
  if (found === undefined) {
    if (!root.faults.hasError('house', 'wrong_type'))
      root.error(
        'root',
        'unknown_form',
        `is not a recognized brand.json: ${proposeForm(root.value)}`,
      )
  } else if (found.variant === 'house_redirect') checkHouseName(root, found.house, domain)
  else if (found.variant !== 'brand_canonical') reportMisplaced(root, found.variant)
  return found
}

/** Says what to write into a file of no known form: what a single brand lacks, if it has a part of one. */
function proposeForm({ id, names, url }: JsonObject): string {
  if (id === undefined && names === undefined && url === undefined)
    return 'make the top level one of: a house and its brands, a single brand (id and names), a list of agents, or a pointer to another file'
  const name = typeof names === 'string' ? names : 'Acme'
  const slug = listSpellings(typeof id === 'string' ? id : name).find(spelling =>
    SLUG.pattern.test(spelling),
  )
  return `write "id": ${quote(slug ?? 'acme')} and "names": [${formatName(quote(name))}] for a single brand`
}

/** Tells whether a file names a house in text where it lists the brands of that house. */
function isListedHouse({ house, ...root }: JsonObject, domain: string | undefined): boolean {
  if (typeof house !== 'string' || root.authoritative_location !== undefined) return false
  if (!Array.isArray(root.brands) && !Array.isArray(root.brand_refs)) return false
  const named = parseDomain(house)
  return domain === undefined || named === undefined || named === domain
}

/** Checks a house that is named in text: nothing but a pointer, which must lead to another domain. */
function checkHouseName(root: ObjectReader, house: string, domain: string | undefined): void {
  const written = `write "house": {"domain": ${quote(house)}, "name": "…"}`
  if (isListedHouse(root.value, domain)) {
    reportListedHouse(root, written)
    return reportMisplaced(root, 'house_portfolio', { allowed: brandFiles.house_redirect.shape })
  }
  if (house === domain) {
    const message = `is ${quote(house)}, which serves this file, so it points to itself: ${written} and list its brands`
    root.error('house', 'nested_pointer', message)
  }
  reportMisplaced(root, 'house_redirect')
}

function reportListedHouse(root: ObjectReader, written: string): void {
  const message = `must be an object where the file lists its brands: ${written}`
  root.error('house', 'wrong_type', message)
}

function readAuthoritativeLocation(
  root: ObjectReader,
  domain: string | undefined,
): BrandDocument | undefined {
  const location = readLocation(root, 'authoritative_location')
  if (location === undefined) return undefined
  checkOtherFile(root, location, { kind: 'brand.json', domain })
  checkRedirect(root)
  return { variant: 'authoritative_location', authoritative_location: location }
}

function readHouseRedirect(
  root: ObjectReader,
  domain: string | undefined,
): BrandDocument | undefined {
  if (!root.has('house') || isObject(root.value.house)) return undefined
  if (isListedHouse(root.value, domain) && parseShortDomain(root.value.house) === undefined) {
    const name = quote(root.value.house)
    reportListedHouse(
      root,
      `write "house": {"domain": ${quote(domain ?? 'acme.example')}, "name": ${name}}`,
    )
    return undefined
  }
  const house = readDomain(root, 'house')
  if (house === undefined) return undefined
  return {
    variant: 'house_redirect',
    house,
    ...optional('region', readRegion(root)),
    ...checkRedirect(root),
  }
}

function checkRedirect(root: ObjectReader) {
  root.dateTime('last_updated')
  return {
    ...optional('redirect_reason', root.oneOf('redirect_reason', redirectReasons)),
    ...optional('redirect_effective_at', root.dateTime('redirect_effective_at')),
  }
}

function readRegion(root: ObjectReader): string | undefined {
  const region = root.text('region')
  if (region === undefined || REGION.test(region)) return region
  root.error('region', 'bad_country', `is ${quote(region)} but must be a country code such as GB`)
  return undefined
}

function readHousePortfolio(
  root: ObjectReader,
  domain: string | undefined,
): BrandDocument | undefined {
  if (!isObject(root.value.house)) return undefined
  const house = root.part('house')
  if (!Array.isArray(root.value.brands) && !Array.isArray(root.value.brand_refs)) {
    const list = (['brands', 'brand_refs'] as const).find(key => root.value[key] !== undefined)
    if (list) root.error(list, 'wrong_type', `must be a list, not ${quote(root.value[list])}`)
    else
      root.error(
        'brands',
        'missing',
        'and brand_refs are both missing: list the brands of the house',
      )
    return undefined
  }
  return house && readPortfolio(root, house, domain)
}

function isCanonical({ value }: ObjectReader): boolean {
  return typeof value.id === 'string' && Array.isArray(value.names)
}

/**
 * Reads the file of one brand. Undefined when the schema forbids what identifies it: its id, its names, its
 * house, or that it is the file of one brand.
 */
function readCanonical(root: ObjectReader) {
  const brand = parseBrand(root, fileKeys)
  const misplaced = [...fileKeys].filter(key => root.has(key) && !ownKeys.has(key))
  for (const key of misplaced)
    root.error(
      key,
      'misplaced',
      `is not allowed in the file of a single brand: ${proposePlaceOfHouse(key, root.value[key])}`,
    )
  const house = root.has('house_domain') ? readDomain(root, 'house_domain') : undefined
  const lastUpdated = root.dateTime('last_updated')
  if (brand === undefined || !isIdentified(brand)) return undefined
  if (misplaced.length > 0 || (house === undefined && root.has('house_domain'))) return undefined
  return {
    variant: 'brand_canonical' as const,
    brand,
    ...optional('house_domain', house),
    ...optional('last_updated', lastUpdated),
  }
}
const ownKeys: ReadonlySet<string> = new Set(['$schema', 'version', 'last_updated'])

function readBrandAgent(root: ObjectReader): BrandDocument | undefined {
  if (!Array.isArray(root.value.agents) && !isObject(root.value.brand_agent)) return undefined
  const agents = readAgents(root)
  if (agents.length === 0 && !root.isReported('agents') && !root.has('brand_agent'))
    root.error('agents', 'empty', 'is empty: add at least one agent')
  return { variant: 'brand_agent', agents }
}

/** Infers which variant a file is meant to be. */
function inferVariant(
  root: JsonObject,
  domain: string | undefined,
  document: BrandDocument | undefined,
): BrandDocument['variant'] | undefined {
  if (isListedHouse(root, domain)) return 'house_portfolio'
  if (document?.variant === 'brand_agent') return findMeant(root, 'brand_agent')
  if (document !== undefined) return document.variant
  if (root.authoritative_location !== undefined) return 'authoritative_location'
  if (root.house !== undefined) return isObject(root.house) ? 'house_portfolio' : 'house_redirect'
  if (root.names !== undefined) return 'brand_canonical'
  return root.agents === undefined && root.brand_agent === undefined ? undefined : 'brand_agent'
}

export interface CheckedBrandFile {
  /** The file as JSON, tidied; absent if it is not JSON. */
  root?: JsonObject
  /** Absent if the file has no known content. */
  document?: BrandDocument
  faults: Fault[]
}

/**
 * Checks the bytes of a brand.json like the crawler. Does not use the network. `domain` serves it; undefined
 * for the target of a pointer. With `now` it also warns of times that cannot be.
 */
export function checkBrand(
  bytes: Uint8Array,
  { maxFaults, domain, now }: { maxFaults: number; domain?: string | undefined; now?: Instant },
): CheckedBrandFile {
  const faults = new Faults(maxFaults)
  const read = readJson(bytes, faults)
  if (read.outcome !== 'ok') return { faults: faults.list() }
  const root = new ObjectReader(read.root, '', faults)
  const document = parseBrandJson(root, domain)
  if (now !== undefined) warnOfFuture(document, now, faults)
  const isPromoted = document !== undefined && 'promotion' in document
  const variant = inferVariant(read.root, domain, document)
  if (!isPromoted) {
    const written = readWritten(bytes)
    if (document === undefined && variant !== undefined && variant !== 'brand_canonical')
      reportMisplaced(root, variant, { severity: 'warning' })
    if (variant) addFormatFaults(faults, brandFiles[variant], written, 'warning')
    reportMisspelled(faults, variant ? brandFiles[variant] : AnyBrandFile, written)
  }
  return { root: read.root, ...(document && { document }), faults: faults.list() }
}
