import { type Agent, dataAgents, sellers, toUrl } from './demo-agents.ts'
import {
  buildAdagents,
  buildCanonical,
  buildEntry,
  buildSiteProperty,
  toSlug,
} from './documents.ts'
import { getItem } from './items.ts'
import type { Name } from './names.ts'
import type { SellingClaim } from './operators.ts'
import { createRandom, type Random } from './random.ts'
import type { Doc, Place } from './site.ts'

export type Publisher = { place: Place; claims: SellingClaim[]; hasCollections: boolean }

const kinds = [
  'property_ids',
  'property_tags',
  'inline_properties',
  'publisher_properties',
  'signal_ids',
  'signal_tags',
] as const

const delegations = ['direct', 'delegated', 'ad_network'] as const

/**
 * Builds an ordinary publisher. Its number decides its kind, so that a hundred of them cover every
 * kind; the rest is random. Two in five also have a brand.json, one in ten is confirmed by its
 * seller.
 */
export function buildOrdinaryPublisher(seed: number, name: Name, number: number): Publisher {
  const random = createRandom(seed, name.host)
  const kind = getItem(kinds, number % kinds.length)
  const seller = random.pick(sellers)
  const delegation = random.pick(delegations)
  const hasCollections = number % 3 === 0
  const document = (): Doc => {
    const drawn = createRandom(seed, name.host, 'adagents')
    return buildPublisherDocument(drawn, name, { kind, seller, delegation, hasCollections })
  }
  const brand =
    number % 5 < 2
      ? {
          'brand.json': {
            situation: 'canonical',
            document: () => buildCanonical(name.host, name.title),
          },
        }
      : {}
  return {
    place: {
      host: name.host,
      title: name.title,
      files: { 'adagents.json': { situation: 'ok', document }, ...brand },
    },
    claims: listClaims(name, number, seller, delegation),
    hasCollections,
  }
}

/**
 * Lists the claims of the seller: one publisher in ten is claimed as granted, one in ten with
 * a different relationship.
 */
function listClaims(name: Name, number: number, seller: Agent, delegation: string): SellingClaim[] {
  const claim = { operator: seller.operator, identifier: name.host }
  if (number % 10 === 0) return [{ ...claim, relationship: delegation }]
  const other = delegations.find(type => type !== delegation)
  if (number % 10 === 1 && other !== undefined) return [{ ...claim, relationship: other }]
  return []
}

type Draft = {
  kind: (typeof kinds)[number]
  seller: Agent
  delegation: string
  hasCollections: boolean
}

function buildPublisherDocument(random: Random, { host, title }: Name, draft: Draft): Doc {
  const properties = [
    buildMainSite(host, title),
    ...random.some(buildSideProperties(host, title), 2),
  ]
  const signals = draft.kind.startsWith('signal_') ? buildSignalCatalog(title) : {}
  const collections = draft.hasCollections ? { collections: [buildSeries(host, title)] } : {}
  return buildAdagents({
    contact: { name: title, email: `ads@${host}`, domain: host },
    properties,
    tags: {
      news: { name: 'News', description: 'Everything with news' },
      audio: { name: 'Audio', description: 'Everything to listen to' },
      video: { name: 'Video', description: 'Everything on a large screen' },
    },
    ...collections,
    ...signals,
    authorized_agents: [
      buildMainEntry(random, host, title, draft),
      ...pickResellers(random, draft.seller).map(agent =>
        buildEntry(toUrl(agent), 'property_tags', {
          property_tags: ['news'],
          delegation_type: 'ad_network',
          exclusive: false,
        }),
      ),
    ],
  })
}

function buildMainEntry(random: Random, host: string, title: string, draft: Draft): Doc {
  const url = toUrl(draft.seller)
  const qualifiers = {
    delegation_type: draft.delegation,
    ...(random.chance(0.4) ? { countries: random.some(['DE', 'FR', 'GB', 'US', 'JP'], 3) } : {}),
    ...(random.chance(0.2)
      ? { effective_from: '2026-01-01T00:00:00Z', effective_until: '2035-01-01T00:00:00Z' }
      : {}),
    ...(random.chance(0.2) ? { exclusive: true } : {}),
  }
  switch (draft.kind) {
    case 'property_ids':
      return buildEntry(url, draft.kind, { property_ids: ['main_site'], ...qualifiers })
    case 'property_tags':
      return buildEntry(url, draft.kind, { property_tags: ['news'], ...qualifiers })
    case 'inline_properties':
      return buildEntry(url, draft.kind, {
        properties: [buildSiteProperty(host, title)],
        ...qualifiers,
      })
    case 'publisher_properties':
      return buildEntry(url, draft.kind, {
        publisher_properties: [{ publisher_domain: host, selection_type: 'all' }],
        ...qualifiers,
      })
    case 'signal_ids':
      return buildEntry(toUrl(random.pick(dataAgents)), draft.kind, {
        signal_ids: ['loyal_readers'],
      })
    case 'signal_tags':
      return buildEntry(toUrl(random.pick(dataAgents)), draft.kind, { signal_tags: ['reading'] })
  }
}

function pickResellers(random: Random, seller: Agent): Agent[] {
  const others = sellers.filter(agent => agent !== seller)
  return random.some(others, 1 + random.below(3))
}

function buildMainSite(host: string, title: string): Doc {
  return buildSiteProperty(host, title, {
    property_id: 'main_site',
    tags: ['news'],
    supported_channels: ['display', 'olv'],
    publisher_domain: host,
  })
}

/**
 * Builds properties that a publisher owns besides its site. Their identifiers contain the host, so
 * they are unique.
 */
function buildSideProperties(host: string, title: string): Doc[] {
  const label = host.replaceAll('.', '-')
  const reversed = host.split('.').reverse().join('.').replaceAll('-', '_')
  const property = (
    type: string,
    name: string,
    tag: string,
    identifiers: [string, string][],
  ): Doc => ({
    property_id: toSlug(name),
    property_type: type,
    name: `${title} ${name}`,
    identifiers: identifiers.map(([kind, value]) => ({ type: kind, value })),
    tags: [tag],
    publisher_domain: host,
  })
  return [
    property('mobile_app', 'App', 'news', [
      ['ios_bundle', reversed],
      ['android_package', `${reversed}.app`],
    ]),
    property('ctv_app', 'TV', 'video', [['roku_store_id', `tv-${label}`]]),
    property('podcast', 'Podcast', 'audio', [['rss_url', `https://${host}/Podcast/Feed.xml`]]),
    property('radio', 'Live', 'audio', [['station_id', `fm-${label}`]]),
    property('website', 'Archive', 'news', [['subdomain', `archive.${host}`]]),
    property('website', 'Regions', 'news', [['domain', `*.${host}`]]),
  ]
}

function buildSeries(host: string, title: string): Doc {
  return {
    collection_id: 'morning_show',
    name: `${title} in the Morning`,
    kind: 'series',
    genre: ['news'],
    language: 'en',
    cadence: 'daily',
    status: 'active',
    distribution: [
      {
        publisher_domain: host,
        identifiers: [{ type: 'rss_url', value: `https://${host}/Podcast/Feed.xml` }],
      },
    ],
  }
}

function buildSignalCatalog(title: string): Doc {
  return {
    signals: [
      {
        id: 'loyal_readers',
        name: `${title} loyal readers`,
        value_type: 'binary',
        tags: ['reading'],
      },
      {
        id: 'visits',
        name: 'Visits a week',
        value_type: 'numeric',
        range: { min: 0, max: 50, unit: 'visits' },
        tags: ['reading'],
      },
      {
        id: 'section',
        name: 'Favorite section',
        value_type: 'categorical',
        allowed_values: ['local', 'sports'],
        tags: ['topic'],
      },
    ],
    signal_tags: {
      reading: { name: 'Reading', description: 'How much somebody reads' },
      topic: { name: 'Topic', description: 'What somebody reads' },
    },
  }
}
