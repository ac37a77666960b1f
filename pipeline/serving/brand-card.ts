import type { BrandRow } from '../model/rows.ts'

const FORMATS = 100
const FORMAT_BYTES = 40 * 1024
const COLORS = 6
const INDUSTRIES = 6
const TEXT = 1_000

/** The little of a brand that the lookup of its publisher shows. */
export function toBrandCard({ brand_name, manifest }: BrandRow) {
  const { description, logos, logo_url, colors, industries } = manifest ?? {}
  const logo = toText(logo_url) ?? findLogo(logos)
  const shown = {
    name: brand_name,
    description: toText(description),
    logo_url: logo,
    colors: listColors(colors),
    industries: Array.isArray(industries)
      ? industries.flatMap(industry => toText(industry) ?? []).slice(0, INDUSTRIES)
      : undefined,
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= TEXT ? value : undefined
}

function findLogo(logos: unknown): string | undefined {
  const [first] = Array.isArray(logos) ? logos : []
  return toText((first as { url?: unknown } | undefined)?.url)
}

/** Colours are written as a list or by role. */
function listColors(colors: unknown): unknown[] | undefined {
  if (Array.isArray(colors)) return colors.slice(0, COLORS)
  if (typeof colors !== 'object' || colors === null) return undefined
  return Object.entries(colors)
    .slice(0, COLORS)
    .map(([type, hex]) => ({ type, hex }))
}

type Format = Record<string, unknown>

/** Formats that say what kind they are; one whose parameters are no object is none. */
export function toFormats(formats: readonly unknown[]): Format[] {
  const shown: Format[] = []
  let bytes = 0
  for (const format of formats) {
    const item = toFormat(format)
    if (item === undefined) continue
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > FORMAT_BYTES || shown.length === FORMATS) break
    shown.push(item)
  }
  return shown
}

function toFormat(format: unknown): Format | undefined {
  if (typeof format !== 'object' || format === null || Array.isArray(format)) return undefined
  const { format_kind, params, sample_render_url, display_name, ...rest } = format as Format
  const hasParams = typeof params === 'object' && params !== null && !Array.isArray(params)
  if (typeof format_kind !== 'string' || format_kind === '' || !hasParams) return undefined
  const isSafe = typeof sample_render_url === 'string' && /^https:\/\//i.test(sample_render_url)
  return {
    ...rest,
    format_kind,
    display_name: toText(display_name) ?? format_kind,
    params,
    ...(isSafe && { sample_render_url }),
  }
}
