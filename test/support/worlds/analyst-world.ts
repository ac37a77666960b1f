/**
 * A small internet whose answers are worked out by hand. Its publishers: `news` grants for itself,
 * `blog` by a file of its manager, `radio` for a time only, `shop` has no file that can be read; its house
 * `group` has brands on three levels.
 */
import type { Instant } from '../../../pipeline/core/clock.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../fixtures/observations.ts'
import { buildOperatorFile } from '../fixtures/operator-files.ts'
import type { TestClock } from './clock.ts'

const website = (domain: string, more: object = {}) => ({
  property_type: 'website',
  name: domain,
  identifiers: [{ type: 'domain', value: domain }],
  ...more,
})

export const SALES = 'https://sales.group.example/mcp'
export const NETWORK = 'https://agent.network.example/mcp'
export const LATE = 'https://late.example/mcp'

const grant = (url: string, more: object) => ({ url, authorized_for: 'Sales', ...more })

export const publisherFile = {
  properties: [
    website('news.example', { property_id: 'site', tags: ['front'] }),
    {
      property_id: 'app',
      property_type: 'mobile_app',
      name: 'News app',
      identifiers: [{ type: 'ios_bundle', value: 'example.news' }],
      supported_channels: ['display', 'olv'],
    },
  ],
  authorized_agents: [
    grant(SALES, {
      authorization_type: 'property_ids',
      property_ids: ['site', 'app'],
      delegation_type: 'direct',
    }),
    grant(NETWORK, {
      authorization_type: 'property_tags',
      property_tags: ['front'],
      delegation_type: 'ad_network',
      countries: ['DE', 'FR'],
    }),
  ],
}

/** The second night: the network can sell no more, and the app has another name. */
export const publisherFileLater = {
  properties: [
    publisherFile.properties[0],
    { ...publisherFile.properties[1], name: 'News for phones' },
  ],
  authorized_agents: [publisherFile.authorized_agents[0]],
}

const network = {
  properties: [
    website('network.example', { publisher_domain: 'network.example' }),
    website('blog.example', { publisher_domain: 'blog.example' }),
    website('shop.example', { publisher_domain: 'shop.example' }),
  ],
  authorized_agents: [
    grant(NETWORK, {
      authorization_type: 'publisher_properties',
      publisher_properties: [
        {
          publisher_domains: ['blog.example', 'shop.example', 'news.example'],
          selection_type: 'all',
        },
      ],
      delegation_type: 'delegated',
      exclusive: true,
    }),
  ],
}

const radio = {
  properties: [website('radio.example')],
  authorized_agents: [
    grant(LATE, {
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domain: 'radio.example', selection_type: 'all' }],
      effective_from: '2026-11-21T12:00:00+01:00',
      effective_until: '2026-12-24',
    }),
  ],
}

const brand = (id: string, name: string, parent?: string) => ({
  id,
  names: [{ en: name }],
  keller_type: parent === undefined ? 'master' : 'sub_brand',
  ...(parent !== undefined && { parent_brand: parent }),
  properties: [{ type: 'website', identifier: `${id}.example`, primary: true }],
})

const group = {
  house: { domain: 'group.example', name: 'The Group' },
  brands: [
    brand('group', 'Group'),
    brand('news', 'News', 'group'),
    brand('sport', 'Sport', 'news'),
  ],
}

export const FIRST_NIGHT = '2026-11-20T03:00Z'

/** Lists what the crawlers bring in the first night. */
export function observeFirstNight(at: Instant): Observation[] {
  return [
    observeFile('brand.json', 'group.example', group, at),
    observeFile('brand.json', 'news.example', { house: 'group.example' }, at),
    observeFile('brand.json', 'sport.example', { house: 'group.example' }, at),
    observeFile(
      'brand.json',
      'network.example',
      buildOperatorFile([NETWORK], [{ identifier: 'blog.example', relationship: 'delegated' }]),
      at,
    ),
    observeFile('adagents.json', 'news.example', publisherFile, at),
    observeFile('adagents.json', 'network.example', network, at),
    observeFile(
      'adagents.json',
      'blog.example',
      { authoritative_location: 'https://network.example/.well-known/adagents.json' },
      at,
    ),
    observeFile('adagents.json', 'radio.example', radio, at),
    observeOutcome('server_error', 'adagents.json', 'shop.example', at),
  ]
}

/** Lists what they bring a day later. */
export function observeSecondNight(at: Instant): Observation[] {
  return [
    observeOutcome('unchanged', 'brand.json', 'group.example', at),
    observeOutcome('unchanged', 'brand.json', 'network.example', at),
    observeFile('adagents.json', 'news.example', publisherFileLater, at),
    observeOutcome('unchanged', 'adagents.json', 'network.example', at),
    observeOutcome('unchanged', 'adagents.json', 'blog.example', at),
    observeOutcome('unchanged', 'adagents.json', 'radio.example', at),
    observeOutcome('timeout', 'adagents.json', 'shop.example', at),
  ]
}

/** Commits both nights; the clock stands at the second afterwards. */
export async function commitTwoNights(
  commit: (observations: Observation[]) => Promise<unknown>,
  clock: TestClock,
): Promise<void> {
  await commit(observeFirstNight(clock.now()))
  clock.tick({ days: 1 })
  await commit(observeSecondNight(clock.now()))
}
