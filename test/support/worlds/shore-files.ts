import type { FileKind } from '../../../pipeline/model/observation.ts'

/** A small internet, written by hand: what its domains publish in the first night. */
type Files = Record<string, object>

const website = (domain: string, more: object = {}) => ({
  property_type: 'website',
  name: domain,
  publisher_domain: domain,
  identifiers: [{ type: 'domain', value: domain }],
  ...more,
})

const agent = (url: string, authorization_type: string, more: object) => ({
  url,
  authorization_type,
  authorized_for: `By ${authorization_type}`,
  ...more,
})

const everything = (url: string, ...domains: string[]) =>
  agent(url, 'publisher_properties', {
    publisher_properties: [{ publisher_domains: domains, selection_type: 'all' }],
  })

const owned = (domain: string) => ({ type: 'website', identifier: domain, primary: true })

/** A house with a brand of its own, one inside the portfolio and one that is only referred to. */
export const lanternHouse = {
  house: { domain: 'lantern.example', name: 'Lantern Holdings' },
  brands: [
    {
      id: 'lantern',
      names: [{ en: 'Lantern' }],
      keller_type: 'master',
      properties: [owned('lantern.example')],
    },
    {
      id: 'glow',
      names: [{ en: 'Glow' }],
      keller_type: 'sub_brand',
      parent_brand: 'lantern',
      properties: [owned('glow.example')],
    },
  ],
  brand_refs: [{ domain: 'candle.example', brand_id: 'candle' }],
}

const leaf = (id: string, name: string) => ({
  id,
  names: [{ en: name }],
  keller_type: 'endorsed',
  house_domain: 'lantern.example',
  properties: [owned(`${id}.example`)],
})

export const harbourWebsite = website('harbour.example', { property_id: 'home', tags: ['news'] })
const tides = {
  property_id: 'tides',
  property_type: 'mobile_app',
  name: 'Tides',
  tags: ['news', 'local'],
  identifiers: [{ type: 'ios_bundle', value: 'example.harbour.tides' }],
}
const sailing = {
  property_type: 'ctv_app',
  name: 'Sailing TV',
  identifiers: [{ type: 'roku_store_id', value: '55121' }],
}

const byIds = agent('https://ids.example/mcp', 'property_ids', { property_ids: ['home'] })
const byTags = agent('https://tags.example/mcp', 'property_tags', { property_tags: ['news'] })
const inline = agent('https://inline.example/mcp', 'inline_properties', { properties: [sailing] })
const signals = agent('https://signals.example/mcp', 'signal_ids', { signal_ids: ['boats'] })

/** A publisher with a grant of every kind. */
export const harbourPublisher = {
  properties: [harbourWebsite, tides],
  signals: [{ id: 'boats', name: 'Boat owners', value_type: 'binary', tags: [] }],
  authorized_agents: [byIds, byTags, inline, signals],
}
export const harbourPublisherWithoutTags = {
  ...harbourPublisher,
  authorized_agents: [byIds, inline, signals],
}
export const harbourPublisherWithoutTides = {
  ...harbourPublisherWithoutTags,
  properties: [harbourWebsite],
}

/** A manager's file: of its own publisher, of one that points to it, of one that has only an ads.txt. */
export const quayManager = {
  properties: [website('quay.example'), website('pier.example'), website('isle.example')],
  authorized_agents: [
    everything('https://quay.example/mcp', 'quay.example', 'pier.example', 'isle.example'),
  ],
}

/** The ads.txt of the one that has no other file. */
export const isleAdsTxt = 'exchange.example, 1, RESELLER\nMANAGERDOMAIN=quay.example\n'

export const buildSimplePublisher = (domain: string) => ({
  properties: [website(domain)],
  authorized_agents: [everything('https://quay.example/mcp', domain)],
})

/** A publisher that grants for a time: from before night 3 to the end of the week after night 1. */
const ebb = {
  properties: [website('ebb.example')],
  authorized_agents: [
    {
      ...everything('https://ebb.example/mcp', 'ebb.example'),
      effective_from: '2026-11-22T00:00:00Z',
      effective_until: '2026-11-27T03:00:00Z',
    },
  ],
}

const dives = {
  collection_id: 'dives',
  name: 'Dives',
  kind: 'series',
  genre: ['sport'],
  distribution: [
    {
      publisher_domain: 'reef.example',
      identifiers: [{ type: 'rss_url', value: 'https://reef.example/dives.xml' }],
    },
  ],
}
const almanac = { collection_id: 'almanac', name: 'Almanac', kind: 'publication' }

/** A publisher with two collections, then with one, then with both again and one renamed. */
export const reefPublisher = {
  ...buildSimplePublisher('reef.example'),
  collections: [dives, almanac],
}
export const reefPublisherWithoutAlmanac = { ...reefPublisher, collections: [dives] }
export const reefPublisherWithDeepDives = {
  ...reefPublisher,
  collections: [{ ...dives, name: 'Deep dives' }, almanac],
}

export const shoreFiles: Record<FileKind, Files> = {
  'brand.json': {
    'lantern.example': lanternHouse,
    'glow.example': { house: 'lantern.example' },
    'candle.example': leaf('candle', 'Candle'),
    'wick.example': leaf('wick', 'Wick'),
    'match.example': { authoritative_location: 'https://files.match.example/brand.json' },
    'https://files.match.example/brand.json': {
      id: 'match',
      names: [{ en: 'Match' }],
      properties: [owned('match.example')],
    },
  },
  'adagents.json': {
    'harbour.example': harbourPublisher,
    'pier.example': { authoritative_location: 'https://quay.example/.well-known/adagents.json' },
    'quay.example': quayManager,
    'buoy.example': buildSimplePublisher('buoy.example'),
    'ebb.example': ebb,
    'gull.example': buildSimplePublisher('gull.example'),
    'reef.example': reefPublisher,
    'storm.example': buildSimplePublisher('storm.example'),
    'tide.example': buildSimplePublisher('tide.example'),
  },
}
