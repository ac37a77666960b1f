import { findAgent, toUrl } from './demo-agents.ts'
import { buildAdagents, buildEntry, buildSiteProperty, toSlug } from './documents.ts'
import type { Doc, Place } from './site.ts'

/** A part of what a publisher owns, as its adagents.json lists it. */
type Part = {
  type: string
  name: string
  channels: readonly string[]
  identifier: [string, string]
}

/**
 * A publisher that lets the reference agent sell for it. The agent makes its catalogue of these facts:
 * `npm run generate` hands them over as data/reference-publishers.json.
 */
export type ReferencePublisher = {
  domain: string
  name: string
  topics: readonly string[]
  countries: readonly string[]
  parts: readonly Part[]
}

export const referencePublishers: readonly ReferencePublisher[] = [
  {
    domain: 'northlight-daily.example',
    name: 'Northlight Daily',
    topics: ['news', 'politics', 'business', 'finance'],
    countries: ['US', 'CA'],
    parts: [buildWebsite('northlight-daily.example', ['display', 'olv'])],
  },
  {
    domain: 'harborview-kitchen.example',
    name: 'Harborview Kitchen',
    topics: ['food', 'cooking', 'recipes', 'home', 'family'],
    countries: ['US', 'GB', 'AU'],
    parts: [buildWebsite('harborview-kitchen.example', ['display', 'olv'])],
  },
  {
    domain: 'summit-sports.example',
    name: 'Summit Sports',
    topics: ['sports', 'football', 'outdoor', 'fitness', 'running'],
    countries: ['US', 'GB', 'DE'],
    parts: [
      {
        type: 'ctv_app',
        name: 'TV',
        channels: ['ctv'],
        identifier: ['roku_store_id', 'tv-summit-sports'],
      },
      buildWebsite('summit-sports.example', ['display']),
    ],
  },
  {
    domain: 'driftwood-radio.example',
    name: 'Driftwood Radio',
    topics: ['music', 'podcast', 'culture', 'commute'],
    countries: ['US', 'FR'],
    parts: [
      {
        type: 'radio',
        name: 'Live',
        channels: ['streaming_audio'],
        identifier: ['station_id', 'fm-driftwood-radio'],
      },
    ],
  },
  {
    domain: 'stonegate-screens.example',
    name: 'Stonegate Screens',
    topics: ['city', 'travel', 'airport', 'shopping', 'retail'],
    countries: ['GB', 'DE', 'FR'],
    parts: [
      {
        type: 'dooh',
        name: 'Screens',
        channels: ['dooh'],
        identifier: ['venue_id', 'stonegate-screens-1'],
      },
    ],
  },
  {
    domain: 'practice-range.example',
    name: 'Practice Range',
    topics: ['rehearsal'],
    countries: ['US'],
    parts: [buildWebsite('practice-range.example', ['display'])],
  },
]

function buildWebsite(domain: string, channels: readonly string[]): Part {
  return { type: 'website', name: 'Site', channels, identifier: ['domain', domain] }
}

/** Builds the sites of these publishers, whose files authorize the agent for everything that they own. */
export function buildReferencePlaces(): Place[] {
  return referencePublishers.map(publisher => ({
    host: publisher.domain,
    title: publisher.name,
    files: { 'adagents.json': { situation: 'ok', document: () => buildDocument(publisher) } },
  }))
}

function buildDocument({ domain, name, topics, countries, parts }: ReferencePublisher): Doc {
  return buildAdagents({
    contact: { name, email: `ads@${domain}`, domain },
    tags: Object.fromEntries(
      topics.map(topic => [topic, { name: topic, description: `Everything about ${topic}` }]),
    ),
    properties: parts.map(part =>
      buildSiteProperty(domain, part.type === 'website' ? name : `${name} ${part.name}`, {
        property_id: toSlug(part.name),
        property_type: part.type,
        identifiers: [{ type: part.identifier[0], value: part.identifier[1] }],
        tags: topics,
        supported_channels: part.channels,
        publisher_domain: domain,
      }),
    ),
    authorized_agents: [
      buildEntry(toUrl(findAgent('sales')), 'publisher_properties', {
        publisher_properties: [{ publisher_domain: domain, selection_type: 'all' }],
        delegation_type: 'delegated',
        countries,
      }),
    ],
  })
}

/** Renders the facts that a catalogue needs, an entry for each publisher and a line for each fact. */
export function renderReferencePublishers(): string {
  const entries = referencePublishers.map(({ domain, name, topics, countries, parts }) => {
    const channels = parts.flatMap(part => part.channels)
    const facts = Object.entries({ domain, name, topics, countries, channels })
    const lines = facts.map(
      ([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    )
    return `  {\n${lines.join(',\n')}\n  }`
  })
  return `[\n${entries.join(',\n')}\n]\n`
}
