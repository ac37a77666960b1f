import { RegistryClient, RegistrySync } from '@adcp/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { waitUntil } from '../support/processes/command.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const shop = 'https://agent.example/mcp'
const rival = 'https://rival.example/mcp'

const registry = openForAll(openRegistry)
let sync: RegistrySync
const errors: Error[] = []

/** Publishes another file of the publisher, and waits until its answer is published. */
async function say(domain: string, agents: string[]): Promise<void> {
  registry.clock.tick(60_000)
  await registry.observe(observePublisherFile(domain, { sites: [domain], agents }))
  await registry.publish()
}

beforeAll(async () => {
  const apiKey = await registry.createKey('Readers')
  await say('news.example', [shop])
  await say('blog.example', [shop, rival])
  const baseUrl = await registry.app.listen({ port: 0 })
  const client = new RegistryClient({ baseUrl, apiKey })
  sync = new RegistrySync({ client, pollIntervalMs: 50 })
  // Without a listener, a request that is under way at the end would count as an uncaught error.
  sync.on('error', ({ error }) => errors.push(error))
  await sync.start()
})

afterAll(async () => {
  sync.stop()
})

describe('the public client keeps a replica', () => {
  test('that starts with every agent and every grant', () => {
    expect(sync.state).toBe('syncing')
    expect(sync.getAgents().map(({ url }) => url)).toEqual(expect.arrayContaining([shop, rival]))
    expect(sync.getStats()).toEqual({ agents: 2, authorizations: 3 })
    expect(sync.isAuthorized(shop, 'news.example')).toBe(true)
    expect(sync.isAuthorized(rival, 'news.example')).toBe(false)
    expect(sync.getAuthorizationsForDomain('blog.example')).toHaveLength(2)
  })

  test('that finds agents by what they reach', () => {
    const found = sync.findAgents({ channels: ['display'], min_properties: 2 })
    expect(found.map(({ url }) => url)).toEqual([shop])
    expect(sync.findAgents({ property_types: ['website'] })).toHaveLength(2)
    expect(sync.findAgents({ channels: ['dooh'] })).toEqual([])
  })

  test('that follows a grant', async () => {
    await say('news.example', [shop, rival])
    await waitUntil(async () => sync.isAuthorized(rival, 'news.example'))
    expect(sync.getStats().authorizations).toBe(4)
  })

  test('that follows a revocation, and the removal of an agent', async () => {
    await say('news.example', [shop])
    await say('blog.example', [shop])
    await waitUntil(async () => sync.getAgent(rival) === undefined)
    expect(sync.isAuthorized(rival, 'blog.example')).toBe(false)
    expect(sync.isAuthorized(shop, 'blog.example')).toBe(true)
    expect(sync.getStats()).toEqual({ agents: 1, authorizations: 2 })
  })

  test('without errors', () => {
    expect(errors).toEqual([])
  })
})
