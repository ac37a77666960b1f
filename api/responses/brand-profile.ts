import { BrandProfile } from '../../pipeline/model/enrichment.ts'

/** A value of a file; brand.json and profiles write some fields in different forms. */
type Value = unknown
type Fields = Readonly<Record<string, Value>>

const toProfileField: Readonly<Record<string, (value: Value) => Value>> = {
  logos: value => (Array.isArray(value) ? value.map(toLogo) : value),
  fonts: value => (isObject(value) ? Object.entries(value).map(toFont) : value),
  tone: value => (isObject(value) ? value.voice : value),
}

/** Converts what a brand's file says to a profile; fields that a profile cannot express are left out. */
export function toBrandProfile(manifest: Fields, url: string): object {
  const shape: Readonly<Record<string, { safeParse(value: Value): { success: boolean } }>> =
    BrandProfile.shape
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const value = toProfileField[name]?.(manifest[name]) ?? manifest[name]
    return value !== undefined && schema.safeParse(value).success ? [[name, value]] : []
  })
  return { url, ...Object.fromEntries(fields) }
}

/** Adds the tags of a logo: its own, and what brand.json says of it in fields. */
function toLogo(logo: Value): Value {
  if (!isObject(logo)) return logo
  const { tags, variant, orientation, background } = logo
  const own = Array.isArray(tags) ? tags : []
  const said = [variant, orientation, String(background ?? '').replace(/-bg$/, '')]
  return {
    ...logo,
    tags: [...new Set([...own, ...said.filter(tag => typeof tag === 'string' && tag !== '')])],
  }
}

function toFont([role, font]: [string, Value]): Value {
  return typeof font === 'string'
    ? { name: font, role }
    : { name: isObject(font) && font.family, role }
}

function isObject(value: Value): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
