import type { BrandCompany, BrandProfile } from '../model/enrichment.ts'
import { clip } from './clip.ts'
import { textsOf } from './linked-data.ts'
import { given, isObject, type JsonObject } from './part.ts'

const URL_CHARS = 2_048
const LOGOS = 20
const NAME = 200
const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i
const YEAR = /^(\d{4})(?:-|$)/

export interface SeenLogo {
  href: string
  tags: string[]
}

/** An https address without a user name, made absolute; undefined for anything else. */
export function httpsUrl(href: unknown, base: string): string | undefined {
  if (typeof href !== 'string' || href.length > URL_CHARS) return undefined
  if (!URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return url.href.length > URL_CHARS ? undefined : url.href
}

export function logosOf(seen: readonly SeenLogo[], base: string): BrandProfile['logos'] {
  const logos = new Map<string, { url: string; tags: string[] }>()
  for (const { href, tags } of seen) {
    const url = httpsUrl(href, base)
    if (url !== undefined && !logos.has(url)) logos.set(url, { url, tags })
  }
  return logos.size === 0 ? undefined : [...logos.values()].slice(0, LOGOS)
}

/** `#RRGGBB`, in capitals. */
export function colorOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || !HEX.test(text.trim())) return undefined
  const hex = text.trim().slice(1).toUpperCase()
  return `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`
}

/** A company as linked data describes it: no people, no addresses to write to. */
export function companyOf(company: JsonObject): BrandCompany | undefined {
  const found = {
    ...given('name', clip(textsOf(company.legalName)[0] ?? textsOf(company.name)[0], NAME)),
    ...given('industry', clip(textsOf(company.industry)[0], NAME)),
    ...given('employees', employeesOf(company.numberOfEmployees)),
    ...given('founded', yearOf(company.foundingDate)),
    ...given('location', locationOf(company.address)),
  }
  return Object.keys(found).length === 0 ? undefined : found
}

function employeesOf(value: unknown): string | undefined {
  if (isObject(value)) {
    const { value: exact, minValue, maxValue } = value
    const range = [minValue, maxValue].filter(one => Number.isInteger(one))
    return range.length === 2 ? range.join('-') : employeesOf(exact)
  }
  return Number.isInteger(value) ? String(value) : clip(value, 50)
}

function yearOf(value: unknown): number | undefined {
  const year = YEAR.exec(String(textsOf(value)[0] ?? value).trim())?.[1]
  return year === undefined ? undefined : Number(year)
}

/** The place, never the street. */
function locationOf(value: unknown): string | undefined {
  const address = Array.isArray(value) ? value[0] : value
  if (!isObject(address)) return undefined
  const parts = ['addressLocality', 'addressRegion', 'addressCountry']
  return clip(parts.flatMap(part => textsOf(address[part])[0] ?? []).join(', '), NAME)
}
