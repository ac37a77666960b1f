import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { limits } from '../../pipeline/core/limits.ts'
import { VOUCHED_WEIGHT } from '../../pipeline/writer/crawl/mentions.ts'
import { Command, makeTemporaryFolder, runForOutput } from '../support/processes/command.ts'
import { type Origin, serveOrigin } from '../support/servers/origin.ts'

const FILE = '/.well-known/adagents.json'
/** Requests that an agent may cost that is nowhere: the places where one may listen, in both transports, and its card. */
const REQUESTS_AN_AGENT = 7

const opened: { origin: Origin; folder: ReturnType<typeof makeTemporaryFolder> }[] = []

afterEach(async () => {
  for (const { origin, folder } of opened.splice(0)) {
    await origin.close()
    folder.remove()
  }
})

/** Crawls a web whose hosts answer nothing, but for one that serves this file; tells who was asked. */
async function crawl(document: object, tighter: Record<string, number> = {}) {
  const folder = makeTemporaryFolder()
  const body = JSON.stringify(document)
  const origin = await serveOrigin((request, response, path) => {
    const isFile = request.headers.host === 'many.example' && path === FILE
    response.writeHead(isFile ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isFile ? body : '{}')
  })
  opened.push({ origin, folder })
  const list = join(folder.path, 'domains.txt')
  writeFileSync(list, 'many.example\n')
  mkdirSync(join(folder.path, 'data'))
  const env = {
    DATA_DIR: join(folder.path, 'data'),
    REDIS_URL: undefined,
    LOG_LEVEL: 'error',
    CRAWL_CONNECT_TO: origin.url,
    PROTOCOL_NAME: 'adcp',
    LIMITS: JSON.stringify(tighter),
  }
  const began = performance.now()
  const done = await new Command(['crawl', '--domains', list], env).finish()
  const seconds = (performance.now() - began) / 1_000
  expect(done).toMatchObject({ status: 0 })
  const others = origin.asked.filter(request => !request.startsWith('many.example/'))
  const hosts = new Set(others.map(request => request.split('/')[0]!))
  return { env, seconds, said: done.stdout, requests: origin.asked.length, hosts }
}

const site = {
  property_type: 'website',
  name: 'Many',
  identifiers: [{ type: 'domain', value: 'many.example' }],
  tags: ['t'],
}
const listing = (count: number, host: (i: number) => string) => ({
  properties: [site],
  authorized_agents: Array.from({ length: count }, (_, i) => ({
    url: `https://${host(i)}`,
    authorized_for: 'x',
    authorization_type: 'property_tags',
    property_tags: ['t'],
  })),
})

const bytes = (document: object) => JSON.stringify(document).length

describe('requests caused by one file are bounded', () => {
  test('for 40,000 agents under one name, more than is stored of a publisher: none', async () => {
    const document = listing(40_000, i => `a${i}.wild.example`)
    expect(bytes(document)).toBeLessThan(limits.adagentsBytes)
    const { hosts, requests, seconds, said } = await crawl(document)
    expect(said).toContain('40001 properties, agents, collections and further identifiers')
    // Its own two files.
    expect([hosts.size, requests]).toEqual([0, 2])
    expect(seconds).toBeLessThan(30)
  })

  test('for 8,000 agents under one name, which are kept: the probes of one site', async () => {
    const { hosts, requests, said } = await crawl(listing(8_000, i => `a${i}.wild.example`))
    expect(said).toContain('8,000 authorizations, 8,000 agents')
    expect(hosts.size).toBeGreaterThan(0)
    expect(hosts.size).toBeLessThanOrEqual(limits.agentsPerSite)
    expect(requests).toBeLessThanOrEqual(hosts.size * REQUESTS_AN_AGENT + 2)
  })

  test('for agents on as many sites: the probes of one document in an hour', async () => {
    const agentsPerDocumentHour = 100
    const { hosts, requests } = await crawl(
      listing(5_000, i => `a${i}.example`),
      { agentsPerDocumentHour },
    )
    expect(hosts.size).toBe(agentsPerDocumentHour * VOUCHED_WEIGHT)
    expect(requests).toBeLessThanOrEqual(hosts.size * REQUESTS_AN_AGENT + 2)
  })

  test('for 50,000 publishers: the additions of one document in an hour', async () => {
    const named = Array.from({ length: 50_000 }, (_, i) => `p${i}.example`)
    const entry = {
      url: 'https://a.example',
      authorized_for: 'x',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ selection_type: 'all', publisher_domains: named }],
    }
    const { env, hosts } = await crawl({ properties: [site], authorized_agents: [entry] })
    const [, frontier] = /^frontier +(\d+)$/m.exec(await runForOutput(['stats'], env))!
    expect(Number(frontier)).toBeGreaterThan(1)
    expect(Number(frontier)).toBeLessThanOrEqual(1 + limits.namesPerDocumentHour * VOUCHED_WEIGHT)
    expect(hosts.size).toBeLessThanOrEqual(Number(frontier))
  })
})
