import { answerJson } from './answer.ts'
import { dataAgents, demoAgents, sellers, toUrl } from './demo-agents.ts'
import {
  buildAdagents,
  buildEntry,
  buildPointerTo,
  buildSiteProperty,
  toTitle,
} from './documents.ts'
import { getItem } from './items.ts'
import { deriveSigningKey } from './keys.ts'
import type { Doc, Place } from './site.ts'

const seller = toUrl(sellers[0])
const second = toUrl(getItem(sellers, 1))
const third = toUrl(getItem(sellers, 2))

/** Builds publishers that each show one rule of adagents.json. */
export function buildPublisherCases(): Place[] {
  return [...qualified, ...catalogs, ...fileHosts()]
}

const qualified: Place[] = [
  buildPublisher('only-in-japan.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ countries: ['JP', 'KR'] })],
  })),
  buildPublisher('window-closed.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [
      grant({ effective_from: '2020-01-01T00:00:00Z', effective_until: '2020-12-31T23:59:59Z' }),
    ],
  })),
  buildPublisher('window-to-come.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ effective_from: '2090-01-01T00:00:00Z' })],
  })),
  buildPublisher('exclusive-seller.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ exclusive: true, delegation_type: 'delegated' })],
  })),
  buildPublisher('pinned-keys.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ signing_keys: [deriveSigningKey(sellers[0].operator).jwk] })],
  })),
  buildPublisher('foreign-pin.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ signing_keys: [deriveSigningKey('somebody-else.example').jwk] })],
  })),
  buildPublisher('placed-ads.example', 'ok', host => ({
    ...buildSingleSite(host),
    placements: [
      {
        placement_id: 'front_top',
        name: 'Front page top',
        property_ids: ['site'],
        tags: ['premium'],
      },
      {
        placement_id: 'article',
        name: 'In the article',
        property_tags: ['all'],
        tags: ['standard'],
      },
    ],
    placement_tags: { premium: { name: 'Premium', description: 'Above the fold' } },
    authorized_agents: [
      grant({ placement_ids: ['front_top'] }),
      buildEntry(second, 'property_tags', { property_tags: ['all'], placement_tags: ['standard'] }),
    ],
  })),
  buildPublisher('two-shows.example', 'ok', host => ({
    ...buildSingleSite(host),
    collections: [
      { collection_id: 'mornings', name: 'Mornings', kind: 'series', status: 'active' },
      { collection_id: 'nights', name: 'Nights', kind: 'series', season: '2', status: 'hiatus' },
    ],
    authorized_agents: [
      grant({ collections: [{ publisher_domain: host, collection_ids: ['mornings'] }] }),
    ],
  })),
  buildPublisher('same-agent-twice.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ countries: ['DE'] }), grant({ countries: ['US'] })],
  })),
  buildPublisher('many-sellers.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: demoAgents.map(agent =>
      buildEntry(toUrl(agent), 'property_ids', { property_ids: ['site'] }),
    ),
  })),
  buildPublisher('northfield-times.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [seller.toUpperCase().replace('/MCP', '/mcp'), `${second}/`].map(url =>
      buildEntry(url.replace('HTTPS:', 'https:'), 'property_ids', { property_ids: ['site'] }),
    ),
  })),
  buildPublisher('no-scope-given.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [
      { url: seller, authorized_for: 'Everything' },
      buildEntry(second, 'property_ids'),
      buildEntry(third, 'all_properties'),
    ],
  })),
  buildPublisher('claims-neighbours.example', 'ok', host => ({
    properties: [
      buildSiteProperty(host, 'Own site', { property_id: 'site' }),
      buildSiteProperty('only-in-japan.example', 'Not ours', { property_id: 'taken' }),
    ],
    authorized_agents: [buildEntry(seller, 'property_ids', { property_ids: ['site', 'taken'] })],
  })),
  buildPublisher('cross-publisher-ids.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [
      buildEntry(seller, 'publisher_properties', {
        publisher_properties: [
          {
            publisher_domains: ['two-shows.example', 'placed-ads.example'],
            selection_type: 'by_id',
            property_ids: ['site'],
          },
          { selection_type: 'all' },
          {
            publisher_domain: 'two-shows.example',
            selection_type: 'by_tag',
            property_tags: ['all'],
          },
        ],
      }),
    ],
  })),
  buildPublisher('xn--bcher-kva.example', 'ok', host => ({
    properties: [
      buildSiteProperty(host, 'Bücher', { property_id: 'site', publisher_domain: host }),
    ],
    authorized_agents: [grant({})],
  })),
  buildPublisher('xn--caf-dma.test', 'ok', () => ({
    properties: [
      buildSiteProperty('café.test', 'Café', {
        property_id: 'site',
        publisher_domain: 'Café.test',
      }),
    ],
    authorized_agents: [grant({})],
  })),
]

const catalogs: Place[] = [
  buildPublisher('catalog-only.example', 'catalog_only', host => ({
    ...buildSingleSite(host),
    catalog_etag: 'catalog-7',
    authorized_agents: [],
  })),
  buildPublisher('signals-only.example', 'catalog_only', () => ({
    signals: [{ id: 'travellers', name: 'Travellers', value_type: 'binary', tags: ['travel'] }],
    authorized_agents: [],
  })),
  buildPublisher('signal-seller.example', 'ok', () => ({
    signals: [{ id: 'travellers', name: 'Travellers', value_type: 'binary', tags: ['travel'] }],
    authorized_agents: [
      buildEntry(toUrl(dataAgents[0]), 'signal_ids', { signal_ids: ['travellers'] }),
    ],
  })),
  buildPublisher('neither-agents-nor-catalog.example', 'empty_file', () => ({
    authorized_agents: [],
  })),
  buildPublisher('old-mirror.example', 'superseded', host => ({
    ...buildSingleSite(host),
    authorized_agents: [],
    superseded_by: 'https://files.paper-archive.example/mirror/adagents.json',
  })),
  buildPublisher('older-than-before.example', 'ok', host => ({
    ...buildSingleSite(host),
    authorized_agents: [grant({ last_updated: '2019-01-01T00:00:00Z' })],
  })),
]

/** Builds the hosts that keep files of others, and the domains that point there. */
function fileHosts(): Place[] {
  const host = 'files.paper-archive.example'
  const pointing = ['points-away.example', 'points-away-too.example', 'also-points-away.test']
  const shared = (): Doc =>
    buildAdagents({
      properties: pointing.map(domain =>
        buildSiteProperty(domain, toTitle(domain), {
          property_id: 'site',
          publisher_domain: domain,
          tags: ['all'],
        }),
      ),
      authorized_agents: [buildEntry(seller, 'property_tags', { property_tags: ['all'] })],
    })
  return [
    {
      host,
      listed: false,
      pages: {
        '/shared/adagents.json': () => answerJson(shared()),
        '/mirror/adagents.json': () => answerJson(shared()),
        '/pointer/adagents.json': () =>
          answerJson(buildPointerTo(`https://${host}/shared/adagents.json`)),
      },
    },
    ...pointing.map(domain =>
      buildPointer(domain, 'pointer', `https://${host}/shared/adagents.json`),
    ),
    buildPointer(
      'points-nowhere.example',
      'pointer_absent',
      `https://${host}/nothing/adagents.json`,
    ),
    buildPointer(
      'points-to-pointer.example',
      'pointer_nested',
      `https://${host}/pointer/adagents.json`,
    ),
    buildPointer(
      'points-to-http.example',
      'pointer_insecure',
      `http://${host}/shared/adagents.json`,
    ),
    buildPointer('points-inside.example', 'pointer_private', 'https://127.0.0.1/adagents.json'),
    buildPointer(
      'points-to-redirect.example',
      'pointer_redirected',
      'https://dirt-redirect-chain-2.example/.well-known/adagents.json',
    ),
    buildPointer(
      'points-to-itself.example',
      'pointer_to_itself',
      'https://points-to-itself.example/.well-known/adagents.json',
    ),
  ]
}

function buildPublisher(host: string, situation: string, write: (host: string) => Doc): Place {
  const document = (): Doc => buildAdagents(write(host))
  return { host, title: toTitle(host), files: { 'adagents.json': { situation, document } } }
}

function buildPointer(host: string, situation: string, location: string): Place {
  const document = (): Doc => buildPointerTo(location)
  return { host, title: toTitle(host), files: { 'adagents.json': { situation, document } } }
}

function buildSingleSite(host: string): Doc {
  return {
    properties: [buildSiteProperty(host, toTitle(host), { property_id: 'site', tags: ['all'] })],
  }
}

function grant(qualifiers: Doc): Doc {
  return buildEntry(seller, 'property_ids', { property_ids: ['site'], ...qualifiers })
}
