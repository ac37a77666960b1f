import { demoAgents, toUrl } from './demo-agents.ts'
import { getItem } from './items.ts'
import type { Doc, FileName } from './site.ts'

export const firstNight = '2026-11-01T03:00:00Z'

const adagentsSchema = 'https://schemas.example/v3/adagents.json'
const brandSchema = 'https://schemas.example/v3/brand.json'

/** Builds an adagents.json with the usual schema and date. */
export function buildAdagents(document: Doc): Doc {
  return { $schema: adagentsSchema, ...document, last_updated: firstNight }
}

export function buildPortfolio(document: Doc): Doc {
  return { $schema: brandSchema, version: '1.0', ...document, last_updated: firstNight }
}

/** Builds the brand.json of a brand on its own domain. */
export function buildCanonical(host: string, title: string, more: Doc = {}): Doc {
  return {
    $schema: brandSchema,
    id: toSlug(title),
    names: [{ en: title }],
    url: `https://${host}`,
    properties: [buildWebsite(host, { primary: true })],
    ...more,
    last_updated: firstNight,
  }
}

/** Builds a property as brand.json writes it. */
export function buildWebsite(identifier: string, more: Doc = {}): Doc {
  return { type: 'website', identifier, ...more }
}

/** Builds a property as adagents.json writes it. */
export function buildSiteProperty(host: string, name: string, more: Doc = {}): Doc {
  return {
    property_type: 'website',
    name,
    identifiers: [{ type: 'domain', value: host }],
    ...more,
  }
}

export function buildEntry(url: string, authorization_type: string, more: Doc = {}): Doc {
  return { url, authorized_for: 'Display and video', authorization_type, ...more }
}

export function buildPointerTo(authoritative_location: string): Doc {
  return { authoritative_location, last_updated: firstNight }
}

/** Builds the smallest valid document, for hosts that test something else. */
export function buildSmallDocument(file: FileName, host: string): Doc {
  const title = toTitle(host)
  if (file === 'brand.json') return buildCanonical(host, title)
  return buildAdagents({
    properties: [buildSiteProperty(host, title, { property_id: 'site' })],
    authorized_agents: [
      buildEntry(toUrl(getItem(demoAgents, 0)), 'property_ids', { property_ids: ['site'] }),
    ],
  })
}

export function toTitle(host: string): string {
  const words = getItem(host.split('.'), 0).split('-')
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}

export function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}
