import { parseUrl } from '../core/url.ts'
import type { BrandDocument, BrandEntry } from '../model/documents/index.ts'
import { BRAND_SCHEMA } from '../model/hosted.ts'
import type { BrandRow } from '../model/rows.ts'
import { type BrandFile, relations } from '../model/save.ts'

const HEX = /^#[0-9a-fA-F]{6}$/
const ID_CHARS = 60
const COLORS_MAX = 50

/** Community entry about a brand. */
export interface SavedBrand {
  domain: string
  brand_name: string | null
  document: Record<string, unknown>
  updated_at: string
}

type Portfolio = Extract<BrandDocument, { variant: 'house_portfolio' }>

/** Builds the brand.json of a saved brand: the submitted file as of its save, or a house with one brand. */
export function buildHostedBrand(saved: SavedBrand): BrandFile {
  const uploaded = saved.document.brand_json as BrandFile | undefined
  if (uploaded !== undefined) return toUpdated(uploaded, saved.updated_at)
  const document = buildPortfolio(saved)
  return { document, file: buildPortfolioFile(document) }
}

/** Replaces the time in a file that states one: who edits a file rarely edits it, and readers refuse an older file. */
function toUpdated({ file, document }: BrandFile, last_updated: string): BrandFile {
  if (file.last_updated === undefined) return { file, document }
  const read = 'last_updated' in document ? { ...document, last_updated } : document
  return { file: { ...file, last_updated }, document: read }
}

function buildPortfolio({ domain, brand_name, document, updated_at }: SavedBrand): Portfolio {
  const name = brand_name ?? domain
  const manifest = toPublishable((document.brand_manifest ?? {}) as BrandRow['manifest'] & object)
  const brand: BrandEntry = {
    id: toSlug(name),
    name,
    names: [{ en: name }],
    keller_type: 'master',
    properties: [],
    agents: [],
    manifest,
  }
  return {
    variant: 'house_portfolio',
    house: { domain, name, agents: [] },
    brands: [brand],
    brand_refs: [],
    authorized_operators: [],
    trademarks: [],
    last_updated: updated_at,
  }
}

function buildPortfolioFile({ house, brands, last_updated }: Portfolio): Record<string, unknown> {
  return {
    $schema: BRAND_SCHEMA,
    house: { domain: house.domain, name: house.name },
    brands: brands.map(({ id, names, keller_type, manifest }) => ({
      id,
      names,
      keller_type,
      ...manifest,
    })),
    last_updated,
  }
}

type Fields = Record<string, unknown>

/** Lists the fields of two versions of a brand: those of their files, or of the one brand in each, if one of them was submitted. */
export function listBrandFields(versions: readonly [SavedBrand, SavedBrand]): Fields[] {
  if (versions.every(({ document }) => document.brand_json === undefined))
    return versions.map(listSavedFields)
  const files = versions.map(version => buildHostedBrand(version).file)
  if (files.some(({ brands }) => !Array.isArray(brands) || brands.length !== 1)) return files
  return files.map(({ brands, ...file }) => ({ ...file, ...(brands as [object])[0] }))
}

/** Lists what members saved of a brand without a file. */
function listSavedFields({ brand_name: name, document }: SavedBrand): Fields {
  const { brand_manifest, ...saved } = document
  const claimed = Object.entries(saved).filter(([field]) => Object.hasOwn(relations, field))
  return { name, ...(brand_manifest as object | null), ...Object.fromEntries(claimed) }
}

function toSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, ID_CHARS)
    .replace(/^_+|_+$/g, '')
  return slug === '' ? 'brand' : slug
}

/** Picks the fields that the format has a place for, in its words. */
function toPublishable(saved: Record<string, unknown>): Record<string, unknown> {
  const texts = ['description', 'tagline', 'target_audience'].flatMap(key =>
    isFilled(saved[key]) ? [[key, saved[key]]] : [],
  )
  const industries = listIn(saved.industries).filter(isFilled)
  const logos = listIn(saved.logos).flatMap(listLogo).slice(0, COLORS_MAX)
  const colors = readColors(saved.colors)
  return {
    ...Object.fromEntries(texts),
    ...(industries.length > 0 && { industries }),
    ...(logos.length > 0 && { logos }),
    ...(Object.keys(colors).length > 0 && { colors }),
  }
}

function listLogo(saved: unknown): object[] {
  const { url, tags } = (saved ?? {}) as { url?: unknown; tags?: unknown }
  const address = isFilled(url) ? parseUrl(url) : undefined
  if (address?.protocol !== 'https:' || address.username || address.password) return []
  const texts = listIn(tags).filter(isFilled)
  return [{ url: address.href, ...(texts.length > 0 && { tags: texts }) }]
}

/** Reads colors by role, as the format has it; from a list, the first of each role. */
function readColors(saved: unknown): Record<string, string> {
  const pairs = Array.isArray(saved)
    ? saved.map(color => [color?.type, color?.hex] as const)
    : typeof saved === 'object' && saved !== null
      ? Object.entries(saved)
      : []
  const colors: Record<string, string> = {}
  for (const [role, hex] of pairs.slice(0, COLORS_MAX)) {
    const key = typeof role === 'string' ? role.toLowerCase().replace(/[^a-z0-9]+/g, '_') : ''
    if (!/^[a-z]/.test(key) || typeof hex !== 'string' || !HEX.test(hex)) continue
    if (!Object.hasOwn(colors, key)) colors[key] = hex
  }
  return colors
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
