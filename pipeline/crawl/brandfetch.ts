import type { BrandCompany, BrandProfile, Enrichment } from '../model/enrichment.ts'
import { clip } from '../parse/clip.ts'
import { Faults } from '../parse/faults.ts'
import { isObject, type JsonObject, optional } from '../parse/object-reader.ts'
import { readJson } from '../parse/read-json.ts'
import type { BrandProvider } from './enrich-brand.ts'
import { parseColor, parseHttpsUrl, rankLogos } from './home-page-facts.ts'

const NAME_CHARS_MAX = 200
const TEXT_CHARS_MAX = 1_000
const ITEMS_MAX = 20

/** Role of a color at the provider → role in a brand profile. */
const colorRoles: Readonly<Record<string, string>> = {
  brand: 'primary',
  dark: 'secondary',
  accent: 'accent',
  light: 'background',
}

/** Creates a provider that speaks version 2 of the Brandfetch API, with a key. */
export function createBrandfetchProvider({
  url,
  key,
}: {
  url: string
  key: string
}): BrandProvider {
  return {
    async enrich(domain, read, limits) {
      const address = `${url.replace(/\/+$/, '')}/v2/brands/${domain}`
      const fetched = await read(address, {
        maxBytes: limits.providerAnswerBytes,
        redirects: 'none',
        maxRedirects: 0,
        allow: { anyPort: true },
        accept: 'application/json',
        authorization: `Bearer ${key}`,
      })
      const parsed = fetched && readJson(fetched.body, new Faults(1))
      return parsed?.outcome === 'ok' ? toEnrichment(domain, parsed.root) : undefined
    },
  }
}

function toEnrichment(domain: string, brand: JsonObject): Enrichment | undefined {
  const name = clip(brand.name, NAME_CHARS_MAX)
  if (name === undefined) return undefined
  const manifest: BrandProfile = {
    name,
    url: `https://${domain}/`,
    ...optional(
      'description',
      clip(brand.description, TEXT_CHARS_MAX) ?? clip(brand.longDescription, TEXT_CHARS_MAX),
    ),
    ...optional('logos', readLogos(brand.logos)),
    ...optional('colors', readColors(brand.colors)),
    ...optional('fonts', readFonts(brand.fonts)),
    ...optional('social', readLinks(brand.links)),
  }
  const company = isObject(brand.company) ? readCompany(name, brand.company) : undefined
  return { provider: 'brandfetch', manifest, ...optional('company', company) }
}

/** Lists the objects of a list, at most ITEMS_MAX. */
function listObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, ITEMS_MAX) : []
}

function readLogos(value: unknown): BrandProfile['logos'] {
  const logos = listObjects(value).flatMap(({ type, theme, formats }) => {
    const tags = [clip(type, NAME_CHARS_MAX), clip(theme, NAME_CHARS_MAX)].filter(
      tag => tag !== undefined,
    )
    return listObjects(formats).flatMap(({ src }) =>
      typeof src === 'string' ? [{ href: src, tags }] : [],
    )
  })
  // Only absolute addresses: there is no page to which others could be relative.
  return rankLogos(logos, 'about:blank')
}

/** Reads the first color of each role. */
function readColors(value: unknown): Record<string, string> | undefined {
  const colors = new Map<string, string>()
  for (const { hex, type } of listObjects(value)) {
    const known = Object.hasOwn(colorRoles, String(type)) ? colorRoles[String(type)] : undefined
    const role = known ?? 'other'
    const color = parseColor(hex)
    if (color !== undefined && !colors.has(role)) colors.set(role, color)
  }
  return colors.size === 0 ? undefined : Object.fromEntries(colors)
}

function readFonts(value: unknown): BrandProfile['fonts'] {
  const fonts = listObjects(value).flatMap(font => {
    const name = clip(font.name, NAME_CHARS_MAX)
    return name === undefined
      ? []
      : [{ name, ...optional('role', clip(font.type, NAME_CHARS_MAX)) }]
  })
  return fonts.length === 0 ? undefined : fonts
}

function readLinks(value: unknown): string[] | undefined {
  const urls = listObjects(value).flatMap(({ url }) => parseHttpsUrl(url, 'about:blank') ?? [])
  return urls.length === 0 ? undefined : [...new Set(urls)]
}

function readCompany(
  name: string,
  { employees, foundedYear, industries, location }: JsonObject,
): BrandCompany {
  const named = listObjects(industries).flatMap(
    industry => clip(industry.name, NAME_CHARS_MAX) ?? [],
  )
  const address = isObject(location) ? [location.city, location.country] : []
  return {
    name,
    ...optional('industry', named[0]),
    ...(named.length > 0 && { industries: named }),
    ...optional('employees', employees === null ? undefined : readEmployees(employees)),
    ...(Number.isInteger(foundedYear) && { founded: Number(foundedYear) }),
    ...optional(
      'location',
      clip(address.filter(line => typeof line === 'string').join(', '), NAME_CHARS_MAX),
    ),
  }
}

function readEmployees(value: unknown): string | undefined {
  return Number.isInteger(value) ? String(value) : clip(value, NAME_CHARS_MAX)
}
