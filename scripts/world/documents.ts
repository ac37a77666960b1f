import { cast, urlOf } from './cast.ts'
import type { Doc, FileName } from './site.ts'

export const firstNight = '2026-11-01T03:00:00Z'

const adagentsSchema = 'https://schemas.example/v3/adagents.json'
const brandSchema = 'https://schemas.example/v3/brand.json'

/** An adagents.json with its usual surroundings. */
export function adagents(document: Doc): Doc {
  return { $schema: adagentsSchema, ...document, last_updated: firstNight }
}

export function portfolio(document: Doc): Doc {
  return { $schema: brandSchema, version: '1.0', ...document, last_updated: firstNight }
}

/** A brand that stands on its own domain. */
export function canonical(host: string, title: string, more: Doc = {}): Doc {
  return {
    $schema: brandSchema,
    id: slug(title),
    names: [{ en: title }],
    url: `https://${host}`,
    properties: [website(host, { primary: true })],
    ...more,
    last_updated: firstNight,
  }
}

/** A property as brand.json writes it. */
export function website(identifier: string, more: Doc = {}): Doc {
  return { type: 'website', identifier, ...more }
}

/** A property as adagents.json writes it. */
export function siteProperty(host: string, name: string, more: Doc = {}): Doc {
  return {
    property_type: 'website',
    name,
    identifiers: [{ type: 'domain', value: host }],
    ...more,
  }
}

export function entry(url: string, authorization_type: string, more: Doc = {}): Doc {
  return { url, authorized_for: 'Display and video', authorization_type, ...more }
}

export function pointerTo(authoritative_location: string): Doc {
  return { authoritative_location, last_updated: firstNight }
}

/** The smallest documents worth crawling, for hosts whose point is something else. */
export function smallDocument(file: FileName, host: string): Doc {
  const title = titleOf(host)
  if (file === 'brand.json') return canonical(host, title)
  return adagents({
    properties: [siteProperty(host, title, { property_id: 'site' })],
    authorized_agents: [entry(urlOf(cast[0]!), 'property_ids', { property_ids: ['site'] })],
  })
}

export function titleOf(host: string): string {
  const words = host.split('.')[0]!.split('-')
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}

export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}
