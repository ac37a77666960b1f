import type { BrandCompany, BrandProfile, Enrichment } from '../model/enrichment.ts'
import { clip } from './clip.ts'
import type { BrandProvider } from './enrich-brand.ts'
import { Faults } from './faults.ts'
import { colorOf, httpsUrl, logosOf } from './home-page-facts.ts'
import { given, isObject, type JsonObject } from './part.ts'
import { readJson } from './read-json.ts'

const NAME = 200
const WORDS = 1_000
const ITEMS = 20

/** Roles of colours in our words, by those of the provider. */
const colorRoles: Readonly<Record<string, string>> = {
  brand: 'primary',
  dark: 'secondary',
  accent: 'accent',
  light: 'background',
}

/** A provider that speaks version 2 of the Brandfetch API, asked with a key. */
export function brandfetch({ url, key }: { url: string; key: string }): BrandProvider {
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
      return parsed?.outcome === 'ok' ? enrichmentOf(domain, parsed.root) : undefined
    },
  }
}

function enrichmentOf(domain: string, brand: JsonObject): Enrichment | undefined {
  const name = clip(brand.name, NAME)
  if (name === undefined) return undefined
  const manifest: BrandProfile = {
    name,
    url: `https://${domain}/`,
    ...given('description', clip(brand.description, WORDS) ?? clip(brand.longDescription, WORDS)),
    ...given('logos', readLogos(brand.logos)),
    ...given('colors', readColors(brand.colors)),
    ...given('fonts', readFonts(brand.fonts)),
    ...given('social', readLinks(brand.links)),
  }
  const company = isObject(brand.company) ? readCompany(name, brand.company) : undefined
  return { provider: 'brandfetch', manifest, ...given('company', company) }
}

function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, ITEMS) : []
}

function readLogos(value: unknown): BrandProfile['logos'] {
  const seen = objectsOf(value).flatMap(({ type, theme, formats }) => {
    const tags = [clip(type, NAME), clip(theme, NAME)].filter(tag => tag !== undefined)
    return objectsOf(formats).flatMap(({ src }) =>
      typeof src === 'string' ? [{ href: src, tags }] : [],
    )
  })
  // Only absolute addresses: there is no page that others could be relative to.
  return logosOf(seen, 'about:blank')
}

/** The first colour of each role. */
function readColors(value: unknown): Record<string, string> | undefined {
  const colors = new Map<string, string>()
  for (const { hex, type } of objectsOf(value)) {
    const role = Object.hasOwn(colorRoles, String(type)) ? colorRoles[String(type)]! : 'other'
    const color = colorOf(hex)
    if (color !== undefined && !colors.has(role)) colors.set(role, color)
  }
  return colors.size === 0 ? undefined : Object.fromEntries(colors)
}

function readFonts(value: unknown): BrandProfile['fonts'] {
  const fonts = objectsOf(value).flatMap(font => {
    const name = clip(font.name, NAME)
    return name === undefined ? [] : [{ name, ...given('role', clip(font.type, NAME)) }]
  })
  return fonts.length === 0 ? undefined : fonts
}

function readLinks(value: unknown): string[] | undefined {
  const urls = objectsOf(value).flatMap(({ url }) => httpsUrl(url, 'about:blank') ?? [])
  return urls.length === 0 ? undefined : [...new Set(urls)]
}

function readCompany(
  name: string,
  { employees, foundedYear, industries, location }: JsonObject,
): BrandCompany {
  const named = objectsOf(industries).flatMap(industry => clip(industry.name, NAME) ?? [])
  const place = isObject(location) ? [location.city, location.country] : []
  return {
    name,
    ...given('industry', named[0]),
    ...(named.length > 0 && { industries: named }),
    ...given('employees', employees === null ? undefined : employeesOf(employees)),
    ...(Number.isInteger(foundedYear) && { founded: Number(foundedYear) }),
    ...given('location', clip(place.filter(one => typeof one === 'string').join(', '), NAME)),
  }
}

function employeesOf(value: unknown): string | undefined {
  return Number.isInteger(value) ? String(value) : clip(value, NAME)
}
