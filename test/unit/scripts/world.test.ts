import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Answer } from '../../../scripts/world/answer.ts'
import { buildWorld } from '../../../scripts/world/build.ts'
import { demoAgents } from '../../../scripts/world/demo-agents.ts'
import { serveFolder } from '../../../scripts/world/folder.ts'
import { buildTokenPath, OWN_SITE } from '../../../scripts/world/own-site.ts'
import { createScaleWorld } from '../../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../../scripts/world/server.ts'
import { type FileName, type World, wellKnownPaths } from '../../../scripts/world/site.ts'
import { runWithin } from '../../support/checks/measured-work.ts'

const brandPath = wellKnownPaths['brand.json']
const adagentsPath = wellKnownPaths['adagents.json']

type Got = { status: number; headers: Record<string, unknown>; body: string }
type Wish = {
  method?: string
  headers?: Record<string, string>
  body?: string
  patienceMs?: number
}

/** Asks a served world as a crawler would: the name decides, the address is always loopback. */
function ask(served: ServedWorld, host: string, path: string, wish: Wish = {}): Promise<Got> {
  const secure = served.caPem !== undefined
  const options = {
    host: '127.0.0.1',
    port: served.port,
    path,
    method: wish.method ?? 'GET',
    headers: { host, ...wish.headers },
    agent: false,
    ...(secure ? { ca: served.caPem!, servername: host } : {}),
    ...(wish.patienceMs === undefined ? {} : { signal: AbortSignal.timeout(wish.patienceMs) }),
  } as const
  return new Promise((resolve, reject) => {
    const sent = (secure ? secureRequest : plainRequest)(options, response => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(parts).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    sent.on('error', reject)
    sent.end(wish.body)
  })
}

function askSite(world: World, host: string, path: string): Answer | undefined {
  return world.sites.get(host)?.answer({ method: 'GET', path, headers: {}, body: '' })
}

/** Tells two answers apart by what a client would notice. */
function findMark(world: World, host: string, file: FileName): string | undefined {
  const answer = askSite(world, host, wellKnownPaths[file])
  if (answer?.kind !== 'whole') return answer?.kind
  const sha256 = createHash('sha256').update(answer.body).digest('hex')
  return `${answer.status} ${answer.etag} ${JSON.stringify(answer.headers)} ${sha256}`
}

function readDocument(world: World, host: string, file: FileName): Record<string, unknown> {
  const answer = askSite(world, host, wellKnownPaths[file])
  if (answer?.kind !== 'whole' || answer.status !== 200) throw new Error(`${host} has no ${file}`)
  return JSON.parse(answer.body.toString())
}

describe('the demo internet', () => {
  const world = buildWorld({ seed: 7 })
  const marks = (of: World) =>
    world.expected.map(({ domain, file }) => `${domain} ${file} ${findMark(of, domain, file)}`)

  test('is the same for the same seed', () => {
    const again = buildWorld({ seed: 7 })
    expect(again.domains).toEqual(world.domains)
    expect(marks(again)).toEqual(marks(world))
  })

  test('has other names with another seed', () => {
    expect(buildWorld({ seed: 8 }).domains).not.toEqual(world.domains)
  })

  test('has as many domains as requested, sorted, under reserved names', () => {
    expect(world.domains).toHaveLength(600)
    expect(world.domains).toEqual([...new Set(world.domains)].sort())
    expect(world.domains.filter(domain => !/^[a-z0-9.-]+\.(example|test)$/.test(domain))).toEqual(
      [],
    )
    expect(buildWorld({ seed: 7, domains: 900 }).domains).toHaveLength(900)
  })

  test('serves each file in its expected situation', () => {
    for (const { domain, file, situation } of world.expected) {
      const answer = askSite(world, domain, wellKnownPaths[file])
      const status = answer !== undefined && 'status' in answer ? answer.status : 0
      if (situation === 'absent') expect([domain, status]).toEqual([domain, 404])
      if (situation === 'portfolio') {
        expect(readDocument(world, domain, file)).toMatchObject({
          house: { name: expect.anything() },
        })
      }
      if (situation === 'pointer') {
        expect(readDocument(world, domain, file)).toHaveProperty('authoritative_location')
      }
    }
  })

  test('authorizes agents in every way the format knows', () => {
    const ways = new Set(
      world.expected
        .filter(
          expectation => expectation.file === 'adagents.json' && expectation.situation === 'ok',
        )
        .filter(expectation => !expectation.domain.startsWith('dirt-'))
        .flatMap(
          expectation =>
            readDocument(world, expectation.domain, expectation.file).authorized_agents as {
              authorization_type: string
            }[],
        )
        .map(entry => entry.authorization_type),
    )
    expect([...ways]).toEqual(
      expect.arrayContaining([
        'property_ids',
        'property_tags',
        'inline_properties',
        'publisher_properties',
        'signal_ids',
        'signal_tags',
      ]),
    )
  })

  test('has a manager that names hundreds of publishers and hosts that point to it', () => {
    const manager = readDocument(world, 'pinnacle-network.example', 'adagents.json')
    expect((manager.properties as unknown[]).length).toBeGreaterThan(600)
    const pointing = world.expected.filter(expectation => expectation.situation === 'pointer')
    expect(pointing.length).toBeGreaterThanOrEqual(60)
  })

  test('lets a seller confirm what a publisher granted', () => {
    const { brands } = readDocument(world, 'lantern-media.example', 'brand.json') as {
      brands: { properties: { identifier: string; relationship?: string }[] }[]
    }
    const claim = brands[0]!.properties.find(
      property => property.identifier === 'eastport-daily.example',
    )
    const granted = readDocument(world, 'eastport-daily.example', 'adagents.json')
    expect(claim).toMatchObject({ relationship: 'direct' })
    expect(granted).toMatchObject({ authorized_agents: [{ delegation_type: 'direct' }] })
  })

  test('changes a few files from night to night and leaves the others unchanged', () => {
    const second = buildWorld({ seed: 7, night: 2 })
    expect(second.domains).toEqual(world.domains)
    const changed = world.expected
      .filter(
        ({ domain, file }) => findMark(world, domain, file) !== findMark(second, domain, file),
      )
      .map(({ domain, file }) => `${domain} ${file}`)
    const planned = second.changes.map(({ domain, file }) => `${domain} ${file}`)
    expect(changed.sort()).toEqual(planned.sort())
    expect(changed.length).toBeGreaterThan(5)
  })

  test('brings an absent file back after two nights', () => {
    const domain = buildWorld({ seed: 7, night: 2 }).changes.find(c => c.what === 'absent')!.domain
    const statuses = [1, 2, 3, 4].map(night => {
      const answer = askSite(buildWorld({ seed: 7, night }), domain, adagentsPath)
      return answer?.kind === 'whole' ? answer.status : 0
    })
    expect(statuses).toEqual([200, 404, 404, 200])
  })
})

describe('a served world', () => {
  const world = buildWorld({ seed: 7 })
  let served: ServedWorld
  beforeAll(async () => {
    served = await serveWorld(world)
  })
  afterAll(() => served.close())

  test('chooses the host by the Host header, whatever its case and port', async () => {
    const got = await ask(served, 'Stands-Alone.example:8443', brandPath)
    expect(JSON.parse(got.body)).toMatchObject({ id: 'stands_alone' })
    expect((await ask(served, 'nobody.example', brandPath)).status).toBe(404)
  })

  test('shows a home page', async () => {
    const got = await ask(served, 'stands-alone.example', '/')
    expect(got.headers['content-type']).toContain('text/html')
    expect(got.body).toContain('Stands Alone')
  })

  test('answers 304 to a request with the ETag of the file', async () => {
    const first = await ask(served, 'stands-alone.example', brandPath)
    const headers = { 'if-none-match': String(first.headers.etag) }
    const second = await ask(served, 'stands-alone.example', brandPath, { headers })
    expect(second).toMatchObject({ status: 304, body: '' })
    expect(served.requests.get(`stands-alone.example${brandPath}`)).toBeGreaterThanOrEqual(2)
  })

  test.each(['hang', 'drip'])('never ends the answer of a host that %ss', async name => {
    const asked = ask(served, `dirt-${name}.example`, brandPath, { patienceMs: 300 })
    await expect(asked).rejects.toThrow(/abort/i)
  })

  test.each(['reset', 'cut-short'])('breaks the connection of dirt-%s', async name => {
    const asked = ask(served, `dirt-${name}.example`, brandPath)
    await expect(asked).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('streams bodies that are too large', async () => {
    const got = await ask(served, 'dirt-oversize.example', adagentsPath)
    expect(got.body.length).toBe(6 * 1_048_576)
    expect(JSON.parse(got.body)).toHaveProperty('authorized_agents')
  })

  test('hides fifty mebibytes in a small gzip body', async () => {
    const got = await ask(served, 'dirt-gzip-bomb.example', adagentsPath)
    expect(Number(got.headers['content-length'])).toBeLessThan(200_000)
  })

  test('sends more headers than a client accepts', async () => {
    const asked = ask(served, 'dirt-large-headers.example', brandPath)
    await expect(asked).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' })
  })

  test('closes at once while answers hang', async () => {
    const own = await serveWorld(world)
    const hanging = ask(own, 'dirt-hang.example', brandPath).catch(error => error.code)
    await expect.poll(() => own.requests.size).toBe(1)
    await runWithin(1_000, () => own.close())
    expect(await hanging).toBe('ECONNRESET')
  })
})

describe('a world served with TLS', () => {
  const caFile = join(mkdtempSync(join(tmpdir(), 'world-')), 'ca.pem')
  let served: ServedWorld
  beforeAll(async () => {
    served = await serveWorld(buildWorld({ seed: 7 }), { tls: true, caFile })
  })
  afterAll(() => served.close())

  test("has certificates that verify against the world's authority", async () => {
    expect(readFileSync(caFile, 'utf8')).toBe(served.caPem)
    for (const host of ['stands-alone.example', 'xn--bcher-kva.example', 'nobody.example']) {
      const got = await ask(served, host, '/')
      expect([host, got.status]).toEqual([host, host === 'nobody.example' ? 404 : 200])
    }
  })

  test.each([
    ['wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['expired', 'CERT_HAS_EXPIRED'],
    ['unknown-authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['reset', 'ECONNRESET'],
  ])('fails the handshake of a host with a certificate that is %s', async (name, code) => {
    await expect(ask(served, `dirt-tls-${name}.example`, '/')).rejects.toMatchObject({ code })
  })
})

describe('the agents', () => {
  let served: ServedWorld
  beforeAll(async () => {
    served = await serveWorld(buildWorld({ seed: 7, protocolName: 'demo' }))
  })
  afterAll(() => served.close())

  const call = async (host: string, method: string, params = {}, session?: string) => {
    const agent = demoAgents.find(candidate => candidate.host === host)!
    const got = await ask(served, host, agent.path, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return { ...got, message: got.status === 200 ? readMessage(got) : undefined }
  }

  const readMessage = (got: Got) => {
    if (got.headers['content-type'] === 'application/json') return JSON.parse(got.body)
    const events = got.body.split('\n\n').map(event =>
      event
        .split('\n')
        .filter(line => line.startsWith('data: '))
        .map(line => line.slice(6))
        .join('\n'),
    )
    return events
      .filter(data => data !== '')
      .map(data => JSON.parse(data))
      .find(message => message.id === 1)
  }

  const toolNames = (message: { result: { tools: { name: string }[] } }) =>
    message.result.tools.map(tool => tool.name)

  it.each([
    ['sales.pinnacle-network.example', 'get_products'],
    ['ads.lantern-media.example', 'get_products'],
    ['data.meadow-signals.example', 'get_signals'],
    ['studio.inkwell-creative.example', 'list_creative_formats'],
    ['policy.plain-sight.example', 'check_governance'],
    ['identity.brand-hall.example', 'get_brand_identity'],
  ])('%s lists its tools', async (host, tool) => {
    const { message } = await call(host, 'tools/list')
    expect(toolNames(message)).toEqual(expect.arrayContaining([tool, 'get_demo_capabilities']))
  })

  it('publishes measurement metrics with accreditations', async () => {
    const params = { name: 'get_demo_capabilities', arguments: {} }
    const { message } = await call('verify.true-meter.example', 'tools/call', params)
    expect(JSON.parse(message.result.content[0].text)).toMatchObject({
      measurement: {
        metrics: expect.arrayContaining([
          expect.objectContaining({
            metric_id: 'viewability',
            accreditations: expect.arrayContaining([
              expect.objectContaining({ accrediting_body: 'Meter Council' }),
            ]),
          }),
        ]),
      },
    })
  })

  it('keeps to its session where it has one', async () => {
    const host = 'sell.harbor-exchange.example'
    expect((await call(host, 'tools/list')).status).toBe(400)
    const opened = await call(host, 'initialize', { protocolVersion: '2025-03-26' })
    const session = String(opened.headers['mcp-session-id'])
    expect((await call(host, 'tools/list', {}, session)).status).toBe(200)
    expect((await call(host, 'tools/list', {}, 'another')).status).toBe(404)
  })

  it('pages its tools', async () => {
    const first = (await call('pages.long-counter.example', 'tools/list')).message.result
    const cursor = first.nextCursor
    const second = (await call('pages.long-counter.example', 'tools/list', { cursor })).message
      .result
    expect([first.tools.length, second.tools.length]).toEqual([2, 2])
  })

  it('reports a failure as an error result', async () => {
    const params = { name: 'get_products', arguments: {} }
    const { message } = await call('desk.refusing-desk.example', 'tools/call', params)
    expect(message.result.isError).toBe(true)
    expect(JSON.parse(message.result.content[0].text)).toHaveProperty('code')
  })

  it.each([
    ['secure.vault-deals.example', 401],
    ['down.broken-bids.example', 503],
    ['relay.relay-desk.example', 404],
  ])('%s answers %i', async (host, status) => {
    expect((await call(host, 'tools/list')).status).toBe(status)
  })

  it('serves a card where A2A is spoken', async () => {
    const got = await ask(served, 'relay.relay-desk.example', '/.well-known/agent-card.json')
    expect(JSON.parse(got.body)).toMatchObject({ name: 'Relay Desk' })
  })
})

describe('a world of captured files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'captured-'))
  mkdirSync(join(dir, 'acme.example/.well-known'), { recursive: true })
  mkdirSync(join(dir, 'empty.example'))
  writeFileSync(join(dir, 'acme.example/.well-known/brand.json'), '{"id":"acme"}')
  writeFileSync(join(dir, 'secret.txt'), 'secret')
  symlinkSync(join(dir, 'secret.txt'), join(dir, 'acme.example/link.txt'))
  const world = serveFolder(dir)

  test('serves the files in the folder of the domain', () => {
    expect(world.domains).toEqual(['acme.example', 'empty.example'])
    expect(readDocument(world, 'acme.example', 'brand.json')).toEqual({ id: 'acme' })
    expect(askSite(world, 'acme.example', '/')).toMatchObject({ status: 200 })
    expect(world.expected.map(expectation => expectation.situation)).toEqual([
      'ok',
      'absent',
      'absent',
      'absent',
    ])
  })

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/link.txt',
    '/%zz',
    '/%00',
  ])('serves nothing outside: %s', path => {
    expect(askSite(world, 'acme.example', path)).toMatchObject({ status: 404 })
  })
})

describe('a world for benches', () => {
  const world = createScaleWorld({ domains: 3_000, seed: 7 })
  const sizes = world.domains
    .flatMap(domain => [brandPath, adagentsPath].map(path => askSite(world, domain, path)))
    .map(answer => (answer?.kind === 'whole' ? answer.body.length : 0))
    .sort((a, b) => a - b)

  test('computes valid files whose sizes spread as real ones do', () => {
    expect(sizes[0]).toBeGreaterThan(120)
    expect(sizes[0]).toBeLessThan(260)
    expect(sizes[3_000]).toBeGreaterThan(900)
    expect(sizes[3_000]).toBeLessThan(1_500)
    expect(sizes.at(-1)).toBeLessThan(13_000)
    expect(readDocument(world, 'd000001-bench.example', 'adagents.json')).toHaveProperty(
      'properties',
    )
  })

  test('knows only its own domains', () => {
    for (const host of ['d000000-bench.example', 'd003001-bench.example', 'd1-bench.example']) {
      expect(world.sites.get(host)).toBeUndefined()
    }
  })

  test('changes a share of its domains each night', () => {
    const second = createScaleWorld({ domains: 3_000, seed: 7, night: 2, changing: 0.1 })
    const etag = (of: World, domain: string) => {
      const answer = askSite(of, domain, brandPath)
      return answer?.kind === 'whole' ? answer.etag : undefined
    }
    const changed = world.domains.filter(domain => etag(world, domain) !== etag(second, domain))
    expect(changed.length).toBeGreaterThan(200)
    expect(changed.length).toBeLessThan(400)
  })

  test('is served over TLS, each name with its certificate', async () => {
    const served = await serveWorld(world, { tls: true })
    expect((await ask(served, 'd000042-bench.example', brandPath)).status).toBe(200)
    await served.close()
  })
})

test.each([OWN_SITE, 'northfield-times.example'])(
  'anybody may verify %s: it publishes the token that it is sent, and nothing else',
  async site => {
    const world = buildWorld({ seed: 1, domains: 600 })
    expect(world.domains).not.toContain(OWN_SITE)
    const served = await serveWorld(world)
    const path = buildTokenPath('proto')
    expect((await ask(served, site, path)).status).toBe(404)
    const send = (body: string) => ask(served, site, path, { method: 'POST', body })
    expect((await send('<script>')).status).toBe(400)
    expect((await ask(served, site, path)).status).toBe(404)
    const token = 'x'.repeat(43)
    expect((await send(`${token}\n`)).status).toBe(200)
    expect((await ask(served, site, path)).body).toBe(token)
    await served.close()
  },
)
