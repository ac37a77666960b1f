import { toAgentUrlKey } from '../../pipeline/core/agent-url.ts'
import type { AdagentsDocument, BrandDocument } from '../../pipeline/model/documents/index.ts'
import type { ObservationDraft } from './app.ts'

/** Builds the observation of a brand.json that names one brand. */
export function observeBrandFile(domain: string, name: string, manifest = {}): ObservationDraft {
  const document: BrandDocument = {
    variant: 'brand_canonical',
    brand: {
      id: name.toLowerCase().replaceAll(' ', '_'),
      name,
      names: [{ en: name }],
      properties: [],
      agents: [],
      manifest,
    },
  }
  return { kind: 'brand.json', location: domain, document }
}

/** Builds the observation of an adagents.json with some websites, all of which each agent may sell. */
export function observePublisherFile(
  domain: string,
  { sites, agents, placements = [] }: { sites: string[]; agents: string[]; placements?: string[] },
): ObservationDraft {
  const document: AdagentsDocument = {
    variant: 'inline',
    agents: agents.map((url, entry) => ({
      entry,
      url,
      agent_url: toAgentUrlKey(url)!,
      authorized_for: `inventory of ${domain}`,
      authorization_type: 'property_tags',
      property_tags: ['all'],
    })),
    properties: sites.map(site => ({
      property_type: 'website',
      name: site,
      identifiers: [{ type: 'domain', value: site }],
      property_id: site.replaceAll('.', '_'),
      tags: ['all'],
      supported_channels: ['display'],
    })),
    collections: [],
    placements: placements.map(placement_id => ({
      placement_id,
      name: placement_id,
      tags: ['all'],
      manifest: { description: `placement ${placement_id}`, channels: ['display'] },
    })),
    formats: [],
    signals: [],
    revoked_publisher_domains: [],
    fields: { properties: sites.join(), authorized_agents: agents.join() },
  }
  return { kind: 'adagents.json', location: domain, document }
}
