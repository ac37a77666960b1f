import { isSameSite } from '../core/domain.ts'
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

/**
 * Creates a provider from a service of the operator's choice, which answers `GET {url}?domain={domain}` as
 * `/api/brands/enrich` does: `{manifest: {name, …}, company?}`, or 404. The operator names the service, so it
 * may be in a private network; it is asked without redirects, and everything that it says is cleaned and cut.
 */
export function createServiceProvider({
  url,
  key,
}: {
  url: string
  key: string | undefined
}): BrandProvider {
  const { hostname: privateHost, protocol } = new URL(url)
  return {
    async enrich(domain, read, limits) {
      const address = new URL(url)
      address.searchParams.set('domain', domain)
      const fetched = await read(address.href, {
        maxBytes: limits.providerAnswerBytes,
        redirects: 'none',
        maxRedirects: 0,
        allow: { anyPort: true, http: protocol === 'http:', privateHost },
        accept: 'application/json',
        authorization: key === undefined ? undefined : `Bearer ${key}`,
      })
      const parsed = fetched && readJson(fetched.body, new Faults(1))
      return parsed?.outcome === 'ok' ? toEnrichment(domain, parsed.root) : undefined
    },
  }
}

function toEnrichment(domain: string, answer: JsonObject): Enrichment | undefined {
  const manifest = isObject(answer.manifest) ? readProfile(domain, answer.manifest) : undefined
  if (manifest === undefined) return undefined
  const company = isObject(answer.company) ? readCompany(answer.company) : undefined
  return { provider: 'enrichment_service', manifest, ...optional('company', company) }
}

function readProfile(domain: string, manifest: JsonObject): BrandProfile | undefined {
  const name = clip(manifest.name, NAME_CHARS_MAX)
  if (name === undefined) return undefined
  return {
    name,
    url: readSite(domain, manifest.url),
    ...optional('description', clip(manifest.description, TEXT_CHARS_MAX)),
    ...optional('tagline', clip(manifest.tagline, TEXT_CHARS_MAX)),
    ...optional('tone', clip(manifest.tone, TEXT_CHARS_MAX)),
    ...optional('logos', readLogos(manifest.logos)),
    ...optional('colors', readColors(manifest.colors)),
    ...optional('fonts', readFonts(manifest.fonts)),
    ...optional('social', readAddresses(manifest.social)),
  }
}

/** Reads the address of the home page: on the brand's own site, else that of the domain. */
function readSite(domain: string, value: unknown): string {
  const home = `https://${domain}/`
  const url = parseHttpsUrl(value, home)
  return url !== undefined && isSameSite(new URL(url).hostname, domain) ? url : home
}

function listItems(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, ITEMS_MAX) : []
}

function readTexts(value: unknown): string[] {
  return listItems(value).flatMap(text => clip(text, NAME_CHARS_MAX) ?? [])
}

function readLogos(value: unknown): BrandProfile['logos'] {
  const logos = listItems(value)
    .filter(isObject)
    .flatMap(({ url, tags }) =>
      typeof url === 'string' ? [{ href: url, tags: readTexts(tags) }] : [],
    )
  return rankLogos(logos, 'about:blank')
}

function readColors(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined
  const colors = Object.entries(value)
    .slice(0, ITEMS_MAX)
    .flatMap(([role, color]) => {
      const [name, hex] = [clip(role, NAME_CHARS_MAX), parseColor(color)]
      return name === undefined || hex === undefined ? [] : [[name, hex] as const]
    })
  return colors.length === 0 ? undefined : Object.fromEntries(colors)
}

function readFonts(value: unknown): BrandProfile['fonts'] {
  const fonts = listItems(value)
    .filter(isObject)
    .flatMap(font => {
      const name = clip(font.name, NAME_CHARS_MAX)
      return name === undefined
        ? []
        : [{ name, ...optional('role', clip(font.role, NAME_CHARS_MAX)) }]
    })
  return fonts.length === 0 ? undefined : fonts
}

function readAddresses(value: unknown): string[] | undefined {
  const urls = listItems(value).flatMap(url => parseHttpsUrl(url, 'about:blank') ?? [])
  return urls.length === 0 ? undefined : [...new Set(urls)]
}

function readCompany(company: JsonObject): BrandCompany | undefined {
  const industries = readTexts(company.industries)
  const { employees, founded } = company
  const found: BrandCompany = {
    ...optional('name', clip(company.name, NAME_CHARS_MAX)),
    ...optional('industry', clip(company.industry, NAME_CHARS_MAX) ?? industries[0]),
    ...(industries.length > 0 && { industries }),
    ...optional('employees', clip(Number.isInteger(employees) ? `${employees}` : employees, 50)),
    ...(Number.isInteger(founded) && { founded: Number(founded) }),
    ...optional('location', clip(company.location, NAME_CHARS_MAX)),
  }
  return Object.keys(found).length === 0 ? undefined : found
}
