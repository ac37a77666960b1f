import { beforeAll, expect, test } from 'vitest'
import { Consumer } from '../support/clients/consumer.ts'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildWebsite } from '../support/worlds/nights.ts'

const agent = 'https://sell.example/mcp'
const domain = 'many.example'
const registry = openForAll(openRegistry)
let key: string

beforeAll(async () => {
  key = await registry.createKey('Replica')
  await publishFiles(registry, {
    [domain]: {
      properties: Array.from({ length: 450 }, (_, i) =>
        buildWebsite(domain, {
          property_id: `p${i}`,
          name: `Site ${i}`,
          tags: i < 300 ? ['sold'] : ['kept'],
          identifiers: [{ type: 'subdomain', value: `s${i}.${domain}` }],
        }),
      ),
      authorized_agents: [
        {
          url: agent,
          authorized_for: 'All',
          authorization_type: 'property_tags',
          property_tags: ['sold'],
        },
      ],
    },
  })
  await registry.publish()
})

test('a grant with a cut list is completed by its selector and equals the lookups', async () => {
  const headers = { authorization: `Bearer ${key}` }
  const url = '/api/registry/feed?types=authorization.*'
  const { events } = (await registry.app.inject({ url, headers })).json()
  const { payload } = events[0]
  expect(payload).toMatchObject({ property_rids_total: 300, property_rids_truncated: true })
  expect(payload.property_rids).toHaveLength(200)

  const consumer = new Consumer(registry.app, key)
  await consumer.begin()
  const held = Object.entries(consumer.replica.state.properties)
  const selected = held.filter(([, { tags }]) =>
    (tags as string[]).some(tag => payload.property_tags.includes(tag)),
  )
  expect(selected).toHaveLength(payload.property_rids_total)
  const rids = new Set(selected.map(([rid]) => rid))
  expect(payload.property_rids.every((rid: string) => rids.has(rid))).toBe(true)

  const answered = new Set<string>()
  for (let i = 0; i < 450; i++) {
    const lookup = `/api/registry/lookup/property?type=subdomain&value=s${i}.${domain}`
    for (const { property } of (await registry.app.inject(lookup)).json().agents) {
      answered.add(property.property_rid)
    }
  }
  expect(answered).toEqual(rids)
})
