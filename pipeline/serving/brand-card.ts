import { buildListPartEnd } from '../core/page-end.ts'
import type { BrandRow } from '../model/rows.ts'

const FORMATS_MAX = 100
const FORMAT_BYTES = 40 * 1024
const COLORS_MAX = 6
const INDUSTRIES_MAX = 6
const TEXT_CHARS_MAX = 1_000

/** Converts a brand to the few facts that the lookup of its publisher shows. */
export function toBrandCard({ brand_name, manifest }: Pick<BrandRow, 'brand_name' | 'manifest'>) {
  const { description, logos, logo_url, colors, industries } = manifest ?? {}
  const logo = toText(logo_url) ?? findLogo(logos)
  const shown = {
    name: brand_name,
    description: toText(description),
    logo_url: logo,
    colors: listColors(colors),
    industries: Array.isArray(industries)
      ? industries.flatMap(industry => toText(industry) ?? []).slice(0, INDUSTRIES_MAX)
      : undefined,
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_CHARS_MAX
    ? value
    : undefined
}

function findLogo(logos: unknown): string | undefined {
  const [first] = Array.isArray(logos) ? logos : []
  return toText((first as { url?: unknown } | undefined)?.url)
}

/** Lists colors, which are written as a list or by role. */
function listColors(colors: unknown): unknown[] | undefined {
  if (Array.isArray(colors)) return colors.slice(0, COLORS_MAX)
  if (typeof colors !== 'object' || colors === null) return undefined
  return Object.entries(colors)
    .slice(0, COLORS_MAX)
    .map(([type, hex]) => ({ type, hex }))
}

type Format = Record<string, unknown>

/**
 * Selects a page of the formats that name their kind. A format larger than a page is a page of its own, so
 * that every page makes progress.
 */
export function cutFormats(formats: readonly unknown[], start = 0) {
  const items = formats.map(toFormat).filter(item => item !== undefined)
  const shown: Format[] = []
  let bytes = 0
  for (const item of items.slice(start, start + FORMATS_MAX)) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > FORMAT_BYTES && shown.length > 0) break
    shown.push(item)
  }
  return { formats: shown, ...buildListPartEnd('formats', start, shown.length, items.length) }
}

const isTexts = (value: unknown) =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

/** Optional fields of a format, each with a check; an invalid field is left out. */
const optionalFields: Record<string, (value: unknown) => boolean> = {
  format_option_id: value => typeof value === 'string',
  sample_render_url: value => typeof value === 'string' && /^https:\/\//i.test(value),
  applies_to_property_ids: isTexts,
  applies_to_property_tags: isTexts,
  seller_preference: value => value !== undefined,
  experimental: value => typeof value === 'boolean',
}

function toFormat(format: unknown): Format | undefined {
  if (typeof format !== 'object' || format === null || Array.isArray(format)) return undefined
  const { format_kind, params, display_name } = format as Format
  const hasParams = typeof params === 'object' && params !== null && !Array.isArray(params)
  if (typeof format_kind !== 'string' || format_kind === '' || !hasParams) return undefined
  const more = Object.entries(optionalFields).flatMap(([name, isValid]) => {
    const value = (format as Format)[name]
    return isValid(value) ? [[name, value]] : []
  })
  const shown = { format_kind, display_name: toText(display_name) ?? format_kind, params }
  return { ...shown, ...Object.fromEntries(more) }
}
