import { beforeAll, describe, expect, test } from 'vitest'
import type { FeedEvent } from '../../pipeline/model/event.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import { requestWithQuery } from '../support/fixtures/operator-files.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildPointer, buildWebsite, grantBySelectors } from '../support/worlds/nights.ts'

const agent = 'https://sell.network.example/mcp'
const files = 'https://files.example/adagents.json'
const managed = 'managed.example'
const pointing = 'pointing.example'
const hosted = 'hosted.example'

const registry = openForAll(openRegistry)
let headers: { authorization: string }

const placement = (placement_id: string, more: object) => ({
  placement_id,
  name: placement_id,
  tags: [placement_id],
  ...more,
})
const format = (format_option_id: string, more: object = {}) => ({
  format_option_id,
  format_kind: 'image',
  params: { width: 300 },
  ...more,
})
/** Builds a file for several publishers; placements are told apart by the tags of the sites. */
const network = (domains: string[], placements: object[], formats: object[] = []) => ({
  properties: domains.map(domain =>
    buildWebsite(domain, {
      property_id: domain.split('.')[0],
      tags: ['all', domain.split('.')[0]!],
    }),
  ),
  placements,
  formats,
  collections: ['a', 'b'].map(collection_id => ({ collection_id, name: collection_id })),
  signals: [{ id: 'auto', name: 'Auto', value_type: 'binary', tags: [] }],
  authorized_agents: [
    {
      ...grantBySelectors(agent, { publisher_domains: domains, selection_type: 'all' }),
      placement_ids: ['pre', 'mid'],
    },
  ],
})
const placements = [
  placement('pre', { property_tags: ['all'] }),
  placement('mid', { property_ids: ['pointing'] }),
  placement('end', { property_tags: ['managed'] }),
  placement('none', {}),
]
const formats = [
  format('everywhere'),
  format('there', { applies_to_property_ids: ['pointing'] }),
  format('here', { applies_to_property_tags: ['managed', 'x'] }),
  format('odd', { applies_to_property_ids: 'all' }),
]

const see = (...found: Parameters<TestRegistry['observe']>) => {
  registry.clock.tick(1_000)
  return registry.observe(...found)
}
const adagents = (location: string, file: object) =>
  observeFile('adagents.json', location, file, registry.clock.now())

beforeAll(async () => {
  headers = { authorization: `Bearer ${await registry.createKey('Readers')}` }
  const now = registry.clock.now()
  await see(
    observeOutcome('absent', 'adagents.json', managed, now),
    observeFile('ads.txt', managed, 'managerdomain=network.example', now),
    adagents('network.example', network([managed, 'network.example'], placements, formats)),
    adagents(pointing, { authoritative_location: files }),
    adagents(files, network([pointing, 'third.example'], placements, formats)),
    adagents(hosted, buildPointer('network.example')),
  )
  await registry.publish()
})

const lookup = async (domain: string) =>
  (
    await requestWithQuery(registry, '/api/registry/publisher', { domain, include: 'placements' })
  ).json()
const summarize = async (domain: string, query: object = {}) => {
  const answer = await requestWithQuery(registry, '/api/registry/validate/property-authorization', {
    agent_url: agent,
    identifier_type: 'domain',
    identifier_value: domain,
    explain: 'true',
    ...query,
  })
  const { authorized, evidence } = answer.json()
  return `${authorized} ${evidence[0].rule}`
}
const events = async (type: string): Promise<FeedEvent[]> =>
  (await registry.app.inject({ url: `/api/registry/feed?types=${type}`, headers })).json().events

describe('placements and formats of a shared file', () => {
  test.each([
    [managed, ['pre', 'end'], ['everywhere', 'here']],
    [pointing, ['pre', 'mid'], ['everywhere', 'there']],
    [hosted, [], []],
  ])('%s has those that are on its own properties', async (domain, placed, declared) => {
    const { placements, formats } = await lookup(domain)
    expect(placements.map((placement: { placement_id: string }) => placement.placement_id)).toEqual(
      placed,
    )
    expect(
      formats.map((placement: { format_option_id: string }) => placement.format_option_id),
    ).toEqual(declared)
    const of = (await events('publisher.*')).find(({ entity_id }) => entity_id === domain)
    expect(of?.payload).toMatchObject({
      placement_count: placed.length,
      format_count: declared.length,
    })
  })

  test.each<[string, object, string]>([
    [managed, {}, 'false placement_not_asked'],
    [managed, { placement_ids: 'pre' }, 'true granted'],
    [managed, { placement_tags: 'pre' }, 'true granted'],
    [managed, { placement_ids: 'mid' }, 'false placement_not_known'],
    [managed, { placement_ids: 'end' }, 'false placement_not_listed'],
    [pointing, { placement_ids: 'pre,mid' }, 'true granted'],
  ])('%s grants a sale of %j: %s', async (domain, query, expected) => {
    expect(await summarize(domain, query)).toBe(expected)
  })

  test('signals belong to the domain whose own file it is', async () => {
    const rows = await registry.reader.snapshot!.db.all<{ domain: string; signals: number }>(
      'select domain, signal_count::double as signals from publishers order by domain',
    )
    expect(rows.map(({ domain, signals }) => `${domain} ${signals}`)).toEqual([
      `${hosted} 0`,
      `${managed} 0`,
      'network.example 1',
      `${pointing} 1`,
    ])
  })

  test('a change is an event of the publishers it concerns', async () => {
    const before = (await events('publisher.adagents_changed')).length
    const renamed = placements.map(placement =>
      'property_ids' in placement ? { ...placement, name: 'Middle of the page' } : placement,
    )
    await see(adagents(files, network([pointing, 'third.example'], renamed, formats)))
    await see(
      adagents(
        'network.example',
        network([managed, 'network.example'], [...renamed].reverse(), formats),
      ),
    )
    const changed = (await events('publisher.adagents_changed')).slice(before)
    const changedFields = changed.map(({ entity_id, payload }) => [
      entity_id,
      payload.changed_fields,
    ])
    expect(changedFields).toEqual([
      [pointing, ['placements']],
      ['network.example', ['placements']],
    ])
    await registry.publish()
    expect((await lookup(pointing)).placements[1].name).toBe('Middle of the page')
    expect(await registry.verify()).toEqual([])
  })

  test('end with the file', async () => {
    for (let times = 0; times < 2; times++) {
      registry.clock.tick(2 * 3_600_000)
      await see(observeOutcome('absent', 'adagents.json', pointing, registry.clock.now()))
    }
    await registry.publish()
    expect(await lookup(pointing)).toMatchObject({ adagents_valid: false, placements: [] })
    expect((await lookup(pointing)).formats).toEqual([])
  })
})

describe('a placement within certain collections', () => {
  const shows = 'shows.example'
  beforeAll(async () => {
    const collections = [{ publisher_domain: shows, collection_ids: ['a', 'b'] }]
    const file = network(
      [shows],
      [
        placement('pre', { property_tags: ['all'], collection_ids: ['a'], tags: ['roll'] }),
        placement('post', { property_tags: ['all'], collection_ids: ['b'], tags: ['roll'] }),
        placement('mid', { property_tags: ['all'], tags: ['any'] }),
        placement('lost', { property_tags: ['all'], collection_ids: [] }),
      ],
    )
    const [entry] = file.authorized_agents
    const { placement_ids: _, ...anywhere } = entry!
    await see(
      adagents(shows, { ...file, authorized_agents: [{ ...anywhere, collections }] }),
      adagents('free.example', {
        ...network(['free.example'], file.placements),
        authorized_agents: [
          grantBySelectors(agent, { publisher_domain: 'free.example', selection_type: 'all' }),
        ],
      }),
    )
  })

  test.each<[string, object, string]>([
    [shows, { placement_ids: 'pre', collection_ids: 'a' }, 'true granted'],
    [shows, { placement_ids: 'pre', collection_ids: 'b' }, 'false placement_not_in_collection'],
    [shows, { placement_ids: 'pre', collection_ids: 'a,b' }, 'false placement_not_in_collection'],
    [
      shows,
      { placement_ids: 'pre,post', collection_ids: 'a' },
      'false placement_not_in_collection',
    ],
    [shows, { placement_tags: 'roll', collection_ids: 'a,b' }, 'true granted'],
    [shows, { placement_ids: 'mid', collection_ids: 'a,b' }, 'true granted'],
    [shows, { placement_ids: 'lost', collection_ids: 'a' }, 'false placement_not_in_collection'],
    [shows, { placement_ids: 'pre' }, 'false collection_not_asked'],
    ['free.example', { placement_ids: 'pre' }, 'true granted'],
    ['free.example', { placement_ids: 'lost' }, 'false placement_not_in_collection'],
    [
      'free.example',
      { placement_ids: 'pre', collection_ids: 'b' },
      'false placement_not_in_collection',
    ],
  ])('%s is asked for %j: %s', async (domain, query, expected) => {
    expect(await summarize(domain, query)).toBe(expected)
  })

  test('the evidence names the collections of the entry', async () => {
    const answer = await requestWithQuery(
      registry,
      '/api/registry/validate/property-authorization',
      {
        agent_url: agent,
        identifier_type: 'domain',
        identifier_value: shows,
        explain: 'true',
      },
    )
    expect(answer.json().evidence[0]).toMatchObject({ collection_ids: ['a', 'b'] })
  })
})
