import {
  buildAdagents,
  buildCanonical,
  buildEntry,
  buildSiteProperty,
  toSlug,
} from './documents.ts'
import type { Place } from './site.ts'

/** Domain and agent that the examples of the API reference ask about. */
const DOMAIN = 'acme.example'
const AGENT = 'https://agent.example/mcp'

/** Builds the site of the API reference's examples, so that they answer when they are pasted into a terminal. */
export function buildDocumentedSite(): Place {
  const properties = [DOMAIN, `www.${DOMAIN}`].map(host =>
    buildSiteProperty(host, host, { property_id: toSlug(host), tags: ['all'] }),
  )
  const adagents = buildAdagents({
    tags: { all: { name: 'All', description: 'Everything that Acme owns' } },
    properties,
    authorized_agents: [buildEntry(AGENT, 'property_tags', { property_tags: ['all'] })],
  })
  return {
    host: DOMAIN,
    title: 'Acme',
    files: {
      'brand.json': { situation: 'canonical', document: () => buildCanonical(DOMAIN, 'Acme') },
      'adagents.json': { situation: 'ok', document: () => adagents },
    },
  }
}
