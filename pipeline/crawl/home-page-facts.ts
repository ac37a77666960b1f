import { parseUrl } from '../core/url.ts'
import type { BrandCompany, BrandProfile } from '../model/enrichment.ts'
import { clip } from '../parse/clip.ts'
import { readTexts } from '../parse/linked-data.ts'
import { isObject, type JsonObject, optional } from '../parse/object-reader.ts'

const URL_CHARS = 2_048
const LOGOS_MAX = 20
const NAME_CHARS_MAX = 200
const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i
const YEAR = /^(\d{4})(?:-|$)/

export interface LogoCandidate {
  href: string
  tags: string[]
}

/** Parses an https URL without a user name and makes it absolute; undefined for anything else. */
export function parseHttpsUrl(href: unknown, base: string): string | undefined {
  if (typeof href !== 'string' || href.length > URL_CHARS) return undefined
  const url = parseUrl(href, base)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return url.href.length > URL_CHARS ? undefined : url.href
}

export function rankLogos(
  candidates: readonly LogoCandidate[],
  base: string,
): BrandProfile['logos'] {
  const logos = new Map<string, { url: string; tags: string[] }>()
  for (const { href, tags } of candidates) {
    const url = parseHttpsUrl(href, base)
    if (url !== undefined && !logos.has(url)) logos.set(url, { url, tags })
  }
  return logos.size === 0 ? undefined : [...logos.values()].slice(0, LOGOS_MAX)
}

/** Parses a color to `#RRGGBB`, in capitals. */
export function parseColor(text: unknown): string | undefined {
  if (typeof text !== 'string' || !HEX.test(text.trim())) return undefined
  const hex = text.trim().slice(1).toUpperCase()
  return `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`
}

/** Reads a company from linked data: no people, no addresses to write to. */
export function readCompany(company: JsonObject): BrandCompany | undefined {
  const found = {
    ...optional(
      'name',
      clip(readTexts(company.legalName)[0] ?? readTexts(company.name)[0], NAME_CHARS_MAX),
    ),
    ...optional('industry', clip(readTexts(company.industry)[0], NAME_CHARS_MAX)),
    ...optional('employees', readEmployees(company.numberOfEmployees)),
    ...optional('founded', readYear(company.foundingDate)),
    ...optional('location', readLocationName(company.address)),
  }
  return Object.keys(found).length === 0 ? undefined : found
}

function readEmployees(value: unknown): string | undefined {
  if (isObject(value)) {
    const { value: exact, minValue, maxValue } = value
    const range = [minValue, maxValue].filter(bound => Number.isInteger(bound))
    return range.length === 2 ? range.join('-') : readEmployees(exact)
  }
  return Number.isInteger(value) ? String(value) : clip(value, 50)
}

function readYear(value: unknown): number | undefined {
  const year = YEAR.exec(String(readTexts(value)[0] ?? value).trim())?.[1]
  return year === undefined ? undefined : Number(year)
}

/** Reads the name of a location, never the street. */
function readLocationName(value: unknown): string | undefined {
  const address = Array.isArray(value) ? value[0] : value
  if (!isObject(address)) return undefined
  const parts = ['addressLocality', 'addressRegion', 'addressCountry']
  return clip(parts.flatMap(part => readTexts(address[part])[0] ?? []).join(', '), NAME_CHARS_MAX)
}
