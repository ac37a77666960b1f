import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { RegistryClient } from '@adcp/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { type Origin, serveOrigin } from '../support/servers/origin.ts'

const folder = makeTemporaryFolder()
const domains = ['news.example', 'child.example', 'manager.example']
const agents: Record<string, string> = {}
let origin: Origin
let redis: TestRedis
let env: Environment
let base: string
let secret: string
let client: RegistryClient
let indexer: Command
const others: Command[] = []

/** While it is shut, nothing on this internet answers. */
let gate: Promise<void> = Promise.resolve()
let isAsked: () => void = () => {}

/** Builds a file by which the agent of its domain can sell it; the child's points to the manager's. */
function buildFile(host: string): object | undefined {
  if (host === 'child.example') {
    return { authoritative_location: 'https://manager.example/.well-known/adagents.json' }
  }
  const names = host === 'manager.example' ? ['manager.example', 'child.example'] : [host]
  const owned = names.map(name => ({
    property_type: 'website',
    name,
    publisher_domain: name,
    identifiers: [{ type: 'domain', value: name }],
  }))
  const entry = {
    url: `https://${agents[host]}/mcp`,
    authorized_for: 'all of it',
    authorization_type: 'publisher_properties',
    publisher_properties: [{ publisher_domains: names, selection_type: 'all' }],
  }
  return host in agents ? { properties: owned, authorized_agents: [entry] } : undefined
}

async function call(path: string, body?: object) {
  const response = await fetch(`${base}${path}`, {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, unknown>
}

/** Waits until the request is over, asking as a client would, and tells all that was said of it. */
async function listStatuses(id: unknown): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = []
  await waitUntil(async () => {
    const status = await call(`/api/registry/crawl-request/${id}`)
    events.push(status)
    return ['completed', 'invalid', 'failed'].includes(String(status.status))
  })
  return events
}

async function listSellers(domain: string): Promise<string[]> {
  const { authorized_agents } = await call(`/api/registry/publisher?domain=${domain}`)
  return (authorized_agents as { url: string }[]).map(({ url }) => new URL(url).hostname)
}

beforeAll(async () => {
  for (const domain of domains) agents[domain] = 'old.example'
  origin = await serveOrigin(async (request, response, path) => {
    isAsked()
    await gate
    const file = path === '/.well-known/adagents.json' && buildFile(String(request.headers.host))
    response.writeHead(file ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(file || {}))
  })
  redis = await startRedis()
  const port = await findFreePort()
  base = `http://127.0.0.1:${port}`
  env = {
    DATA_DIR: folder.path,
    REDIS_URL: redis.url,
    PORT: String(port),
    CRAWL_CONNECT_TO: origin.url,
    LOG_LEVEL: 'warn',
  }
  await runForOutput(['org', 'create', '--name', 'Acme'], env)
  writeFileSync(`${folder.path}/domains.txt`, domains.join('\n'))
  secret = await runForOutput(['key', 'create', '--org', 'Acme'], env)
  const crawl = await runRegistry(['crawl', '--domains', `${folder.path}/domains.txt`], env)
  expect(crawl.status, crawl.stderr).toBe(0)
  indexer = new Command(['indexer'], env)
  others.push(new Command(['crawler'], env), new Command(['api'], env))
  client = new RegistryClient({ baseUrl: base, apiKey: secret })
  await waitUntil(async () => existsSync(`${folder.path}/run.json`))
  await waitUntil(async () => (await fetch(`${base}/readyz`)).status === 200)
})

afterAll(async () => {
  for (const command of [...others, indexer]) await command.interrupt()
  await redis.close()
  await origin.close()
  folder.remove()
})

describe('a requested crawl', () => {
  test('completes, and then every lookup shows the change', async () => {
    expect(await listSellers('news.example')).toEqual(['old.example'])
    agents['news.example'] = 'new.example'
    const accepted = await client.requestCrawl('news.example')
    expect(accepted).toMatchObject({ domain: 'news.example', message: expect.any(String) })
    const { crawl_request_id } = accepted as { crawl_request_id?: string }
    const last = (await listStatuses(crawl_request_id)).at(-1)
    expect(last).toMatchObject({ status: 'completed', attempts: 1, last_error_code: null })
    expect(await listSellers('news.example')).toEqual(['new.example'])
    const found = await client.lookupDomain('news.example')
    expect(found.authorized_agents?.map(({ url }) => url)).toEqual(['https://new.example/mcp'])
  })

  test('of a manager changes the answers of the publishers that point to it', async () => {
    expect(await listSellers('child.example')).toEqual(['old.example'])
    agents['manager.example'] = 'new.example'
    const path = '/api/registry/manager-revalidation-request'
    const accepted = await call(path, { manager_domain: 'manager.example' })
    expect(accepted).toMatchObject({ publishers_enqueued: 1 })
    const last = (await listStatuses(accepted.crawl_request_id)).at(-1)
    expect(last).toMatchObject({ status: 'completed', outcome: [{ outcome: 'ok' }] })
    expect(await listSellers('child.example')).toEqual(['new.example'])
  })

  test('completes although the indexer is killed while its file is fetched', async () => {
    let open = () => {}
    gate = new Promise(resolve => {
      open = resolve
    })
    const asked = new Promise<void>(resolve => {
      isAsked = resolve
    })
    agents['manager.example'] = 'newest.example'
    const { crawl_request_id } = await call('/api/registry/crawl-request', {
      domain: 'child.example',
    })
    await asked
    indexer.child.kill('SIGKILL')
    await once(indexer.child, 'exit')
    open()
    const meanwhile = await call(`/api/registry/crawl-request/${crawl_request_id}`)
    expect(meanwhile.status).toBe('queued')
    expect(await listSellers('child.example')).toEqual(['new.example'])

    indexer = new Command(['indexer'], env)
    const last = (await listStatuses(crawl_request_id)).at(-1)
    expect(last?.status).toBe('completed')
    expect(await listSellers('child.example')).toEqual(['newest.example'])
  })

  test('is visible to nobody else, and leaves the stores in agreement', async () => {
    const { crawl_request_id } = await call('/api/registry/brand-crawl-request', {
      domain: 'other.example',
    })
    await runForOutput(['org', 'create', '--name', 'Others'], env)
    const theirs = await runForOutput(['key', 'create', '--org', 'Others'], env)
    const { status } = await fetch(`${base}/api/registry/crawl-request/${crawl_request_id}`, {
      headers: { authorization: `Bearer ${theirs}` },
    })
    expect(status).toBe(404)
    const [last] = (await listStatuses(crawl_request_id)).slice(-1)
    expect(last).toMatchObject({
      status: 'completed',
      domain: 'other.example',
      outcome: [{ file: 'brand.json', outcome: 'absent' }],
    })
    expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
  })
})
