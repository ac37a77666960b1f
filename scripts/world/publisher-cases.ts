import { json } from './answer.ts'
import { cast, dataAgents, sellers, urlOf } from './cast.ts'
import { adagents, entry, pointerTo, siteProperty, titleOf } from './documents.ts'
import { signingKeyOf } from './keys.ts'
import type { Doc, Place } from './site.ts'

const seller = urlOf(sellers[0])
const second = urlOf(sellers[1]!)
const third = urlOf(sellers[2]!)

/** Publishers that each show one rule of the format. */
export function publisherCases(): Place[] {
  return [...qualified, ...catalogs, ...fileHosts()]
}

const qualified: Place[] = [
  publisher('only-in-japan.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ countries: ['JP', 'KR'] })],
  })),
  publisher('window-closed.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [
      grant({ effective_from: '2020-01-01T00:00:00Z', effective_until: '2020-12-31T23:59:59Z' }),
    ],
  })),
  publisher('window-to-come.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ effective_from: '2090-01-01T00:00:00Z' })],
  })),
  publisher('exclusive-seller.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ exclusive: true, delegation_type: 'delegated' })],
  })),
  publisher('pinned-keys.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ signing_keys: [signingKeyOf(sellers[0].operator).jwk] })],
  })),
  publisher('foreign-pin.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ signing_keys: [signingKeyOf('somebody-else.example').jwk] })],
  })),
  publisher('placed-ads.example', 'ok', host => ({
    ...oneSite(host),
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
      entry(second, 'property_tags', { property_tags: ['all'], placement_tags: ['standard'] }),
    ],
  })),
  publisher('two-shows.example', 'ok', host => ({
    ...oneSite(host),
    collections: [
      { collection_id: 'mornings', name: 'Mornings', kind: 'series', status: 'active' },
      { collection_id: 'nights', name: 'Nights', kind: 'series', season: '2', status: 'hiatus' },
    ],
    authorized_agents: [
      grant({ collections: [{ publisher_domain: host, collection_ids: ['mornings'] }] }),
    ],
  })),
  publisher('same-agent-twice.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ countries: ['DE'] }), grant({ countries: ['US'] })],
  })),
  publisher('many-sellers.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: cast.map(agent =>
      entry(urlOf(agent), 'property_ids', { property_ids: ['site'] }),
    ),
  })),
  publisher('agent-spellings.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [seller.toUpperCase().replace('/MCP', '/mcp'), `${second}/`].map(url =>
      entry(url.replace('HTTPS:', 'https:'), 'property_ids', { property_ids: ['site'] }),
    ),
  })),
  publisher('no-scope-given.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [
      { url: seller, authorized_for: 'Everything' },
      entry(second, 'property_ids'),
      entry(third, 'all_properties'),
    ],
  })),
  publisher('claims-neighbours.example', 'ok', host => ({
    properties: [
      siteProperty(host, 'Own site', { property_id: 'site' }),
      siteProperty('only-in-japan.example', 'Not ours', { property_id: 'taken' }),
    ],
    authorized_agents: [entry(seller, 'property_ids', { property_ids: ['site', 'taken'] })],
  })),
  publisher('cross-publisher-ids.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [
      entry(seller, 'publisher_properties', {
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
  publisher('xn--bcher-kva.example', 'ok', host => ({
    properties: [siteProperty(host, 'Bücher', { property_id: 'site', publisher_domain: host })],
    authorized_agents: [grant({})],
  })),
  publisher('xn--caf-dma.test', 'ok', () => ({
    properties: [
      siteProperty('café.test', 'Café', { property_id: 'site', publisher_domain: 'Café.test' }),
    ],
    authorized_agents: [grant({})],
  })),
]

const catalogs: Place[] = [
  publisher('catalog-only.example', 'catalog_only', host => ({
    ...oneSite(host),
    catalog_etag: 'catalog-7',
    authorized_agents: [],
  })),
  publisher('signals-only.example', 'catalog_only', () => ({
    signals: [{ id: 'travellers', name: 'Travellers', value_type: 'binary', tags: ['travel'] }],
    authorized_agents: [],
  })),
  publisher('signal-seller.example', 'ok', () => ({
    signals: [{ id: 'travellers', name: 'Travellers', value_type: 'binary', tags: ['travel'] }],
    authorized_agents: [entry(urlOf(dataAgents[0]), 'signal_ids', { signal_ids: ['travellers'] })],
  })),
  publisher('neither-agents-nor-catalog.example', 'empty_file', () => ({ authorized_agents: [] })),
  publisher('old-mirror.example', 'superseded', host => ({
    ...oneSite(host),
    authorized_agents: [],
    superseded_by: 'https://files.paper-archive.example/mirror/adagents.json',
  })),
  publisher('older-than-before.example', 'ok', host => ({
    ...oneSite(host),
    authorized_agents: [grant({ last_updated: '2019-01-01T00:00:00Z' })],
  })),
]

/** Files kept on another host, and the domains that point there. */
function fileHosts(): Place[] {
  const host = 'files.paper-archive.example'
  const pointing = ['points-away.example', 'points-away-too.example', 'also-points-away.test']
  const shared = (): Doc =>
    adagents({
      properties: pointing.map(domain =>
        siteProperty(domain, titleOf(domain), {
          property_id: 'site',
          publisher_domain: domain,
          tags: ['all'],
        }),
      ),
      authorized_agents: [entry(seller, 'property_tags', { property_tags: ['all'] })],
    })
  return [
    {
      host,
      listed: false,
      pages: {
        '/shared/adagents.json': () => json(shared()),
        '/mirror/adagents.json': () => json(shared()),
        '/pointer/adagents.json': () => json(pointerTo(`https://${host}/shared/adagents.json`)),
      },
    },
    ...pointing.map(domain => pointer(domain, 'pointer', `https://${host}/shared/adagents.json`)),
    pointer('points-nowhere.example', 'pointer_absent', `https://${host}/nothing/adagents.json`),
    pointer('points-to-pointer.example', 'pointer_nested', `https://${host}/pointer/adagents.json`),
    pointer('points-to-http.example', 'pointer_insecure', `http://${host}/shared/adagents.json`),
    pointer('points-inside.example', 'pointer_private', 'https://127.0.0.1/adagents.json'),
    pointer(
      'points-to-redirect.example',
      'pointer_redirected',
      'https://dirt-redirect-chain-2.example/.well-known/adagents.json',
    ),
    pointer(
      'points-to-itself.example',
      'pointer_to_itself',
      'https://points-to-itself.example/.well-known/adagents.json',
    ),
  ]
}

function publisher(host: string, situation: string, write: (host: string) => Doc): Place {
  const document = (): Doc => adagents(write(host))
  return { host, title: titleOf(host), files: { 'adagents.json': { situation, document } } }
}

function pointer(host: string, situation: string, location: string): Place {
  const document = (): Doc => pointerTo(location)
  return { host, title: titleOf(host), files: { 'adagents.json': { situation, document } } }
}

function oneSite(host: string): Doc {
  return { properties: [siteProperty(host, titleOf(host), { property_id: 'site', tags: ['all'] })] }
}

function grant(qualifiers: Doc): Doc {
  return entry(seller, 'property_ids', { property_ids: ['site'], ...qualifiers })
}
