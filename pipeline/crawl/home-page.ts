import { load } from 'cheerio'
import type { BrandCompany, BrandProfile } from '../model/enrichment.ts'
import { clip } from './clip.ts'
import { colorOf, companyOf, httpsUrl, logosOf, type SeenLogo } from './home-page-facts.ts'
import { type LinkedData, readLinkedData, textsOf } from './linked-data.ts'
import { descriptiveTags } from './page-tags.ts'
import { given } from './part.ts'

const MAX_SCRIPTS = 20
const NAME = 200
const WORDS = 1_000
const SOCIAL = 20
const PARTS = /\s+[|–—·»:-]\s+/

/** What a home page says of the brand it belongs to. */
export interface HomePage {
  profile: BrandProfile
  company?: BrandCompany
  /** Address of the page's web app manifest, which may say more. */
  manifestUrl?: string
}

type Page = ReturnType<typeof load>

/**
 * Reads a page as one that is not to be trusted: nothing in it runs, every text is cleaned and cut,
 * and of addresses only https ones are kept. Undefined when it does not even have a name.
 */
export function readHomePage(html: string, url: string): HomePage | undefined {
  const page = load(descriptiveTags(html), { xml: { xmlMode: false, decodeEntities: true } })
  const base = httpsUrl(page('base[href]').first().attr('href'), url) ?? url
  const data = readLinkedData(scriptsOf(page))
  const name = nameOf(page, data)
  if (name === undefined) return undefined
  const company = data.company && companyOf(data.company)
  return {
    profile: {
      name,
      url: new URL('/', url).href,
      ...given('description', descriptionOf(page, data)),
      ...given('tagline', clip(textsOf(data.company?.slogan)[0], NAME)),
      ...given('tone', clip(textsOf(data.company?.tone)[0], NAME)),
      ...given('logos', logosOf([...dataLogos(data), ...linkLogos(page)], base)),
      ...given('colors', colorsOf(page)),
      ...given('social', socialOf(data, base)),
    },
    ...given('company', company),
    ...given('manifestUrl', httpsUrl(attribute(page, 'link[rel~="manifest" i]', 'href'), base)),
  }
}

function scriptsOf(page: Page): string[] {
  const scripts = page('script[type="application/ld+json" i]').slice(0, MAX_SCRIPTS)
  return scripts.toArray().map(script => page(script).text())
}

function attribute(page: Page, selector: string, name: string): string | undefined {
  return page(selector).first().attr(name)
}

function meta(page: Page, ...names: string[]): string[] {
  return names.flatMap(name => {
    const found = page(`meta[name="${name}" i], meta[property="${name}" i]`)
    return found.first().attr('content') ?? []
  })
}

function nameOf(page: Page, { company, site }: LinkedData): string | undefined {
  const title = page('title').first().text()
  return firstOf(NAME, [
    ...textsOf(company?.name),
    ...meta(page, 'og:site_name', 'application-name', 'apple-mobile-web-app-title'),
    ...textsOf(site?.name),
    title.slice(0, WORDS).split(PARTS)[0],
  ])
}

function descriptionOf(page: Page, { company }: LinkedData): string | undefined {
  const said = meta(page, 'description', 'og:description')
  return firstOf(WORDS, [...said, ...textsOf(company?.description)])
}

function firstOf(maxChars: number, texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const clipped = clip(text, maxChars)
    if (clipped !== undefined) return clipped
  }
  return undefined
}

function dataLogos({ company }: LinkedData): SeenLogo[] {
  return textsOf(company?.logo, 'url').map(href => ({ href, tags: ['logo'] }))
}

function linkLogos(page: Page): SeenLogo[] {
  const links = page('link[href]').toArray()
  return links.flatMap(link => {
    const rel = (link.attribs.rel ?? '').toLowerCase().split(/\s+/)
    const isIcon = rel.some(one => one === 'icon' || one.startsWith('apple-touch-icon'))
    return isIcon && link.attribs.href !== undefined
      ? [{ href: link.attribs.href, tags: ['icon'] }]
      : []
  })
}

function colorsOf(page: Page): Record<string, string> | undefined {
  const primary = [
    ...meta(page, 'theme-color', 'msapplication-TileColor'),
    attribute(page, 'link[rel~="mask-icon" i]', 'color'),
  ]
  const color = primary.map(colorOf).find(one => one !== undefined)
  return color === undefined ? undefined : { primary: color }
}

function socialOf({ company }: LinkedData, base: string): string[] | undefined {
  const urls = textsOf(company?.sameAs, 'url').flatMap(href => httpsUrl(href, base) ?? [])
  return urls.length === 0 ? undefined : [...new Set(urls)].slice(0, SOCIAL)
}
