import { load } from 'cheerio'
import type { BrandCompany, BrandProfile } from '../model/enrichment.ts'
import { clip } from '../parse/clip.ts'
import { type LinkedData, readLinkedData, readTexts } from '../parse/linked-data.ts'
import { optional } from '../parse/object-reader.ts'
import {
  type LogoCandidate,
  parseColor,
  parseHttpsUrl,
  rankLogos,
  readCompany,
} from './home-page-facts.ts'
import { extractDescriptiveTags } from './page-tags.ts'

const SCRIPTS_MAX = 20
const NAME_CHARS_MAX = 200
const TEXT_CHARS_MAX = 1_000
const SOCIAL_LINKS_MAX = 20
const PARTS = /\s+[|–—·»:-]\s+/

/** Facts about a brand from its home page. */
export interface HomePage {
  profile: BrandProfile
  company?: BrandCompany
  /** Address of the page's web app manifest, which may contain more. */
  manifestUrl?: string
}

type Page = ReturnType<typeof load>

/**
 * Reads a page as untrusted input: nothing in it runs, every text is cleaned and cut, and only https
 * addresses are kept. Undefined when it does not even have a name.
 */
export function readHomePage(html: string, url: string): HomePage | undefined {
  const page = load(extractDescriptiveTags(html), { xml: { xmlMode: false, decodeEntities: true } })
  const base = parseHttpsUrl(page('base[href]').first().attr('href'), url) ?? url
  const data = readLinkedData(listScripts(page))
  const name = pickName(page, data)
  if (name === undefined) return undefined
  const company = data.company && readCompany(data.company)
  return {
    profile: {
      name,
      url: new URL('/', url).href,
      ...optional('description', pickDescription(page, data)),
      ...optional('tagline', clip(readTexts(data.company?.slogan)[0], NAME_CHARS_MAX)),
      ...optional('tone', clip(readTexts(data.company?.tone)[0], NAME_CHARS_MAX)),
      ...optional('logos', rankLogos([...listDataLogos(data), ...linkLogos(page)], base)),
      ...optional('colors', readColors(page)),
      ...optional('social', readSocialLinks(data, base)),
    },
    ...optional('company', company),
    ...optional(
      'manifestUrl',
      parseHttpsUrl(readAttribute(page, 'link[rel~="manifest" i]', 'href'), base),
    ),
  }
}

function listScripts(page: Page): string[] {
  const scripts = page('script[type="application/ld+json" i]').slice(0, SCRIPTS_MAX)
  return scripts.toArray().map(script => page(script).text())
}

function readAttribute(page: Page, selector: string, name: string): string | undefined {
  return page(selector).first().attr(name)
}

function readMeta(page: Page, ...names: string[]): string[] {
  return names.flatMap(name => {
    const found = page(`meta[name="${name}" i], meta[property="${name}" i]`)
    return found.first().attr('content') ?? []
  })
}

function pickName(page: Page, { company, site }: LinkedData): string | undefined {
  const title = page('title').first().text()
  return pickFirst(NAME_CHARS_MAX, [
    ...readTexts(company?.name),
    ...readMeta(page, 'og:site_name', 'application-name', 'apple-mobile-web-app-title'),
    ...readTexts(site?.name),
    title.slice(0, TEXT_CHARS_MAX).split(PARTS)[0],
  ])
}

function pickDescription(page: Page, { company }: LinkedData): string | undefined {
  const description = readMeta(page, 'description', 'og:description')
  return pickFirst(TEXT_CHARS_MAX, [...description, ...readTexts(company?.description)])
}

function pickFirst(maxChars: number, texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const clipped = clip(text, maxChars)
    if (clipped !== undefined) return clipped
  }
  return undefined
}

function listDataLogos({ company }: LinkedData): LogoCandidate[] {
  return readTexts(company?.logo, 'url').map(href => ({ href, tags: ['logo'] }))
}

function linkLogos(page: Page): LogoCandidate[] {
  const links = page('link[href]').toArray()
  return links.flatMap(link => {
    const rel = (link.attribs.rel ?? '').toLowerCase().split(/\s+/)
    const isIcon = rel.some(value => value === 'icon' || value.startsWith('apple-touch-icon'))
    return isIcon && link.attribs.href !== undefined
      ? [{ href: link.attribs.href, tags: ['icon'] }]
      : []
  })
}

function readColors(page: Page): Record<string, string> | undefined {
  const primary = [
    ...readMeta(page, 'theme-color', 'msapplication-TileColor'),
    readAttribute(page, 'link[rel~="mask-icon" i]', 'color'),
  ]
  const color = primary.map(parseColor).find(parsed => parsed !== undefined)
  return color === undefined ? undefined : { primary: color }
}

function readSocialLinks({ company }: LinkedData, base: string): string[] | undefined {
  const urls = readTexts(company?.sameAs, 'url').flatMap(href => parseHttpsUrl(href, base) ?? [])
  return urls.length === 0 ? undefined : [...new Set(urls)].slice(0, SOCIAL_LINKS_MAX)
}
