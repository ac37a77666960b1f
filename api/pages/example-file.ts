import { type Instant, toIso } from '../../pipeline/core/clock.ts'
import { ADAGENTS_SCHEMA, BRAND_SCHEMA } from '../../pipeline/model/hosted.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import { joinWords } from './html/text.tsx'

/** Stands above an example. */
export const EXAMPLE_NOTE = 'This is an example. Replace its values with yours.'

/** Names in an example that stand for those of its reader. */
const placeholders = {
  house: 'Your company',
  brand: 'Your brand',
  property: 'Your website',
} as const

/** Describes the names of an example that a file still has; undefined where it has none. */
export function describePlaceholder(text: string): string | undefined {
  const names = Object.values(placeholders).filter(name => text.includes(JSON.stringify(name)))
  if (names.length === 0) return undefined
  const left = joinWords(names.map(name => `“${name}”`))
  return names.length === 1
    ? `The name ${left} is still that of the example. Replace it with yours.`
    : `The names ${left} are still those of the example. Replace them with yours.`
}

/** Builds a file for people to start from: valid, short, and with their domain in it. */
export function buildExampleFile(kind: ProposedKind, domain: string, now: Instant): string {
  const file = kind === 'adagents.json' ? buildAdagents(domain) : buildBrand(domain)
  return JSON.stringify({ ...file, last_updated: toIso(now) }, null, 2)
}

function buildAdagents(domain: string): object {
  return {
    $schema: ADAGENTS_SCHEMA,
    authorized_agents: [
      {
        url: `https://sales.${domain}/mcp`,
        authorized_for: 'Everything on our site',
        authorization_type: 'property_ids',
        property_ids: ['main_site'],
        delegation_type: 'direct',
      },
    ],
    properties: [
      {
        property_id: 'main_site',
        property_type: 'website',
        name: placeholders.property,
        identifiers: [{ type: 'domain', value: domain }],
        publisher_domain: domain,
      },
    ],
  }
}

function buildBrand(domain: string): object {
  return {
    $schema: BRAND_SCHEMA,
    house: { domain, name: placeholders.house },
    brands: [
      {
        id: 'main',
        keller_type: 'master',
        names: [{ en: placeholders.brand }],
        url: `https://${domain}/`,
        properties: [{ type: 'website', identifier: domain, primary: true }],
      },
    ],
  }
}
