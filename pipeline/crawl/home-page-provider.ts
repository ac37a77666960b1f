import { isSameSite } from '../core/domain.ts'
import type { Limits } from '../core/limits.ts'
import type { FetchedOk } from '../fetch/http.ts'
import type { BrandProfile } from '../model/enrichment.ts'
import { clip } from '../parse/clip.ts'
import { Faults } from '../parse/faults.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { readJson } from '../parse/read-json.ts'
import type { BrandProvider, ReadUrl } from './enrich-brand.ts'
import { type HomePage, readHomePage } from './home-page.ts'
import { parseColor, rankLogos } from './home-page-facts.ts'

const CHARSET = /charset\s*=\s*["']?\s*([\w:-]{1,40})/i
const HEAD_BYTES = 1_024
const TEXT_CHARS_MAX = 1_000

/** Reads the home page of a brand, and the web app manifest that it names on the same site. */
export const homePage: BrandProvider = {
  async enrich(domain, read, limits) {
    const fetched = await read(`https://${domain}/`, {
      maxBytes: limits.homePageBytes,
      redirects: 'same-site',
      maxRedirects: limits.httpRedirects,
      accept: 'text/html',
    })
    if (fetched === undefined || !isHtml(fetched.contentType)) return undefined
    const page = readHomePage(decodeText(fetched), fetched.url)
    if (page === undefined) return undefined
    const manifest = await readManifest(page, fetched.url, read, limits)
    return {
      provider: 'home_page',
      manifest: manifest === undefined ? page.profile : mergeFacts(page.profile, manifest),
      ...(page.company && { company: page.company }),
    }
  },
}

function isHtml(contentType: string | undefined): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType ?? '')
}

/** Decodes a page in the encoding that the header or the page names; else UTF-8. */
function decodeText({ body, contentType = '' }: FetchedOk): string {
  const head = body.subarray(0, HEAD_BYTES).toString('latin1')
  const label = CHARSET.exec(contentType)?.[1] ?? CHARSET.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

interface AppManifest {
  url: string
  content: JsonObject
}

async function readManifest(
  { manifestUrl }: HomePage,
  pageUrl: string,
  read: ReadUrl,
  limits: Limits,
): Promise<AppManifest | undefined> {
  if (manifestUrl === undefined) return undefined
  if (!isSameSite(new URL(manifestUrl).hostname, new URL(pageUrl).hostname)) return undefined
  const fetched = await read(manifestUrl, {
    maxBytes: limits.homeManifestBytes,
    redirects: 'same-site',
    maxRedirects: limits.httpRedirects,
    accept: 'application/manifest+json, application/json',
  })
  if (fetched === undefined) return undefined
  const parsed = readJson(fetched.body, new Faults(1))
  return parsed.outcome === 'ok' ? { url: fetched.url, content: parsed.root } : undefined
}

/** Merges the manifest into the profile; the page's own texts come first. */
function mergeFacts(profile: BrandProfile, { url, content }: AppManifest): BrandProfile {
  const icons = Array.isArray(content.icons) ? content.icons.filter(isObject) : []
  const fromManifest = icons.map(({ src }) => ({ href: String(src ?? ''), tags: ['icon'] }))
  const fromPage = (profile.logos ?? []).map(({ url: href, tags }) => ({ href, tags }))
  const logos = rankLogos([...fromPage, ...fromManifest.filter(({ href }) => href !== '')], url)
  const colors = {
    ...toColors('primary', content.theme_color),
    ...toColors('background', content.background_color),
    ...profile.colors,
  }
  const description = profile.description ?? clip(content.description, TEXT_CHARS_MAX)
  return {
    ...profile,
    ...(description !== undefined && { description }),
    ...(logos && { logos }),
    ...(Object.keys(colors).length > 0 && { colors }),
  }
}

function toColors(role: string, text: unknown): Record<string, string> {
  const color = parseColor(text)
  return color === undefined ? {} : { [role]: color }
}
