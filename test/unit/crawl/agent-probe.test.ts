import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import { carryOver } from '../../../pipeline/diff/carry.ts'
import { AgentDocument } from '../../../pipeline/model/documents/index.ts'
import { Observation } from '../../../pipeline/model/observation.ts'
import { runWithin } from '../../support/checks/measured-work.ts'
import {
  type AgentAnswer,
  buildScriptedAgent,
  noAnswer,
  probe,
  probeHost,
  probeWith,
  readDocument,
  serveAgentHost,
  writeEventStream,
} from '../../support/servers/agent-host.ts'
import { createFetcherTo, now, writeEndlessly } from '../../support/worlds/fetching.ts'

const json = (value: object) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const caps = (value: object) => ({ get_proto_capabilities: json(value) })
const none = (response: ServerResponse, status: number) => response.writeHead(status).end()

describe('the products of a seller', () => {
  const products = [
    {
      delivery_type: 'guaranteed',
      channels: ['ctv', 'smoke'],
      countries: ['UK', 'Spain'],
      format_options: [{ format_kind: 'video_hosted' }, { format_kind: 'Not A Kind' }, 7],
    },
    { delivery_type: 'non_guaranteed', delivery_channels: ['olv'], countries: ['US'] },
    { delivery_type: ['x'], channels: 'ctv' },
    'no product',
  ]
  const answered = {
    delivery_types: ['guaranteed', 'non_guaranteed'],
    channels: ['ctv', 'olv'],
    markets: ['GB', 'US'],
    format_kinds: ['video_hosted'],
  }
  const refusing = { isError: true, structuredContent: { proto_error: { code: 'AUTH_REQUIRED' } } }

  it('are requested, and listed in full', async () => {
    const supported_formats = [{ format: { format_kind: 'image' } }, { format_kind: 'audio' }]
    const tasks = { get_products: json({ products }), ...caps({ creative: { supported_formats } }) }
    const document = readDocument(await probe(buildScriptedAgent({ tasks })))
    expect(document).toMatchObject({ products: answered, needs_auth: false, unread: [] })
    expect(document.format_kinds).toEqual(['image', 'video_hosted'])
  })

  it('are left out without a fault where they need a credential', async () => {
    const observation = await probe(buildScriptedAgent({ tasks: { get_products: refusing } }))
    expect(observation.faults).toEqual([])
    expect(readDocument(observation)).toMatchObject({ needs_auth: true, unread: [] })
    expect(readDocument(observation)).not.toHaveProperty('products')
  })

  it('are not requested where another task needed a credential', async () => {
    let calls = 0
    const count = (ask: { call: { params?: { name?: unknown } } }) => {
      if (ask.call.params?.name === 'get_products') calls += 1
      return undefined
    }
    const tasks = { get_products: json({ products }), get_proto_capabilities: refusing }
    const observation = await probe(
      buildScriptedAgent({ tasks, methods: { 'tools/call': count as never } }),
    )
    expect([calls, readDocument(observation).products]).toEqual([0, undefined])
  })

  it('stay as they were when they cannot be read', async () => {
    const before = readDocument(
      await probe(buildScriptedAgent({ tasks: { get_products: json({ products }) } })),
    )
    const observation = await probe(
      buildScriptedAgent({ tasks: { get_products: json({ products: 'many' }) } }),
    )
    expect(readDocument(observation)).toMatchObject({ unread: ['products'] })
    expect(observation.faults).toMatchObject([{ code: 'wrong_type', field: 'products' }])
    const stored = { products: answered, format_kinds: ['video_hosted'] }
    expect(carryOver(before, readDocument(observation), now)).toMatchObject(stored)
  })
})

describe('a well-behaved agent', () => {
  it('is read part by part, and its document is valid', async () => {
    const format_id = { agent_url: 'https://agent.example/mcp', id: 'banner' }
    const observation = await probe(
      buildScriptedAgent({
        tasks: {
          get_products: json({ products: [] }),
          list_creative_formats: json({ formats: [{ format_id, name: 'Banner' }] }),
          ...caps({
            supported_protocols: ['media_buy'],
            media_buy: {
              portfolio: {
                primary_channels: ['ctv', 'olv', 'smoke'],
                primary_countries: ['US', 'EMEA'],
              },
              execution: { trusted_match: { surfaces: [] } },
            },
          }),
        },
      }),
    )
    expect(Observation.parse(observation)).toMatchObject({ outcome: 'ok', status: 200, faults: [] })
    const document = readDocument(observation)
    expect(AgentDocument.parse(document)).toEqual(document)
    expect(document).toMatchObject({
      protocols: ['mcp'],
      endpoint: 'https://agent.example/mcp',
      name: 'Trained Agent',
      type: 'sales',
      tools: [
        { name: 'get_products' },
        { name: 'get_proto_capabilities' },
        { name: 'list_creative_formats' },
      ],
      capabilities: {
        supported_protocols: ['media_buy'],
        supported_channels: ['ctv', 'olv'],
        markets: ['US'],
        has_tmp: true,
      },
      formats: [{ format_id, name: 'Banner' }],
      operations: {
        standard: {
          can_search_inventory: true,
          can_get_availability: true,
          can_get_pricing: true,
          can_reserve_inventory: false,
          can_create_order: false,
          can_list_properties: false,
        },
        creative: { can_generate: false, can_validate: false, can_preview: false },
        signals: { can_match: false, can_activate: false, can_get_signals: false },
      },
      needs_auth: false,
      unread: [],
    })
  })

  it.each([
    [{ publisher_domains: ['b.example', 'https://A.example/', 'b.example', 7, 'no domain'] }],
    [{ properties: [{ publisher_domain: 'b.example' }, { domain: 'a.example' }, 'x', {}] }],
  ])('that lists publishers it sells for claims them: %j', async listed => {
    const observation = await probe(
      buildScriptedAgent({ tasks: { list_authorized_properties: json(listed) } }),
    )
    expect(readDocument(observation)).toMatchObject({ claims: ['a.example', 'b.example'] })
  })

  it('with the same answers is unchanged, whatever the order of its tools', async () => {
    const tasks = { get_products: json({ products: [] }), create_media_buy: {} }
    const first = await probe(buildScriptedAgent({ tasks }))
    const turned = Object.fromEntries(Object.entries(tasks).reverse())
    const again = await probe(buildScriptedAgent({ tasks: turned }), { hash: first.hash! })
    expect(again).toMatchObject({ outcome: 'unchanged', hash: first.hash })
    expect(again.document).toBeUndefined()
  })

  it('is asked for the capabilities under the configured protocol name', async () => {
    const tasks = { get_adcp_capabilities: json({ supported_protocols: ['signals'] }) }
    const observation = await probe(buildScriptedAgent({ tasks }), { protocolName: 'adcp' })
    expect(readDocument(observation).capabilities?.supported_protocols).toEqual(['signals'])
    expect(readDocument(await probe(buildScriptedAgent({ tasks }))).capabilities).toBeUndefined()
  })

  it('keeps its session, and may answer in both formats', async () => {
    const asked: string[] = []
    const observation = await probe((ask, response) => {
      const { method = '' } = ask.call
      expect(ask.headers).toMatchObject(
        ask.method === 'POST' ? { accept: 'application/json, text/event-stream' } : {},
      )
      expect(ask.headers).not.toHaveProperty('authorization')
      if (ask.method === 'POST' && method !== 'initialize') {
        asked.push(
          `${method} ${ask.headers['mcp-session-id']} ${ask.headers['mcp-protocol-version']}`,
        )
      }
      if (method === 'initialize') response.setHeader('mcp-session-id', 'one two'.replace(' ', '-'))
      else if (ask.headers['mcp-session-id'] !== 'one-two') return none(response, 400)
      return buildScriptedAgent({ tasks: { get_signals: {} } })(ask, response)
    })
    expect(observation.outcome).toBe('ok')
    expect(asked).toEqual([
      'notifications/initialized one-two 2025-06-18',
      'tools/list one-two 2025-06-18',
    ])
  })

  it('without sessions may refuse initialization', async () => {
    for (const status of [400, 405, 202]) {
      const methods = {
        initialize: (_: unknown, response: ServerResponse) => none(response, status),
      }
      const observation = await probe(buildScriptedAgent({ tasks: { get_signals: {} }, methods }))
      expect(readDocument(observation)).toMatchObject({ type: 'signals' })
    }
    const methods = {
      initialize: () => ({ jsonrpc: '2.0', id: null, error: { code: -32_601, message: '' } }),
    }
    expect(await probe(buildScriptedAgent({ methods }))).toMatchObject({ outcome: 'ok' })
  })

  it('may answer below its address, with a trailing slash, or over A2A only', async () => {
    const inner = buildScriptedAgent({ tasks: { get_products: json({ products: [] }) } })
    const below = await probe(
      (ask, response) =>
        ask.path === '/sales/mcp' ? inner({ ...ask, path: '/mcp' }, response) : undefined,
      { location: 'https://agent.example/sales' },
    )
    expect(readDocument(below).endpoint).toBe('https://agent.example/sales/mcp')
    const slash = await probe((ask, response) =>
      ask.path === '/mcp/' ? inner({ ...ask, path: '/mcp' }, response) : undefined,
    )
    expect(readDocument(slash).endpoint).toBe('https://agent.example/mcp/')
    const card = {
      name: 'Card Only',
      description: 'Sells',
      skills: [{ id: 'get_products', description: 'Finds' }, { id: 7 }, 'x'],
    }
    const other = await probe(
      ask => (ask.path === '/desk/.well-known/agent-card.json' ? card : undefined),
      { location: 'https://agent.example/desk/a2a' },
    )
    expect(readDocument(other)).toMatchObject({
      protocols: ['a2a'],
      name: 'Card Only',
      type: 'sales',
      tools: [{ name: 'get_products', description: 'Finds' }],
    })
  })

  it('with both transports is reported with both, and a card of the wrong kind as a fault', async () => {
    const inner = buildScriptedAgent({ tasks: { get_signals: {} } })
    const withCard = (type: string) =>
      probe((ask, response) => {
        if (ask.path !== '/.well-known/agent.json') return inner(ask, response)
        return response.writeHead(200, { 'content-type': type }).end('{"name":"Both"}')
      })
    expect(readDocument(await withCard('application/json')).protocols).toEqual(['mcp', 'a2a'])
    const wrong = await withCard('text/plain')
    expect(readDocument(wrong).protocols).toEqual(['mcp'])
    expect(wrong.faults).toMatchObject([{ field: 'card', severity: 'warning' }])
  })
})

describe('the resources of an agent', () => {
  const offers = { protocolVersion: '2025-06-18', capabilities: { resources: {} } }
  const result = (id: number | undefined, value: object) => ({ jsonrpc: '2.0', id, result: value })
  /** Builds an agent that announces resources, and lists these pages of them. */
  const having = (pages: unknown[], asked: string[] = []) =>
    buildScriptedAgent({
      methods: {
        initialize: ({ call }) => result(call.id, offers),
        'resources/list': ({ call }) => {
          const page = Number(call.params?.cursor ?? 0)
          asked.push(`page ${page}`)
          const nextCursor = String(page + 1)
          return result(call.id, {
            resources: pages[page],
            ...(page + 1 < pages.length && { nextCursor }),
          })
        },
      },
    })

  it('are counted over all pages, each once', async () => {
    const pages = [
      [{ uri: 'doc:a' }, { uri: 'doc:b' }],
      [{ uri: 'doc:b' }, { uri: 'doc:c' }, 7],
    ]
    const document = readDocument(await probe(having(pages)))
    expect(AgentDocument.parse(document)).toEqual(document)
    expect(document).toMatchObject({ resources_count: 3, unread: [] })
  })

  it('are zero where it declares them and lists nothing', async () => {
    expect(readDocument(await probe(having([[]])))).toMatchObject({ resources_count: 0 })
  })

  it('are not requested where it does not declare any', async () => {
    let asked = 0
    const methods = { 'resources/list': () => void asked++ }
    const document = readDocument(await probe(buildScriptedAgent({ methods })))
    expect([asked, document.unread]).toEqual([0, []])
    expect(document).not.toHaveProperty('resources_count')
  })

  it('stay as they were while they cannot be counted', async () => {
    const before = readDocument(await probe(having([[{ uri: 'doc:a' }]])))
    const observation = readDocument(await probe(having(['many'])))
    expect(observation).toMatchObject({ unread: ['resources_count'] })
    expect(carryOver(before, observation, now)).toMatchObject({ resources_count: 1 })
  })

  it('are not counted to the end of an endless list', async () => {
    const asked: string[] = []
    const endlessly = Array.from({ length: 1_000 }, (_, i) => [{ uri: `doc:${i}` }])
    expect(readDocument(await probe(having(endlessly, asked))).unread).toEqual(['resources_count'])
    expect(asked).toHaveLength(20)
  })
})

describe('an agent that cannot be read', () => {
  const status = (code: number) => probe((_, response) => none(response, code))

  test.each([
    [401, 'needs_auth'],
    [403, 'denied'],
    [404, 'absent'],
    [429, 'throttled'],
    [503, 'server_error'],
    [500, 'server_error'],
    [418, 'http_error'],
    [307, 'bad_redirect'],
  ])('answers %i and is %s', async (code, outcome) => {
    expect(await status(code)).toMatchObject({ outcome, status: code })
  })

  it('exists although it requires a credential, at any of its places and for single calls', async () => {
    const later = await probe(
      (ask, response) => none(response, ask.path === '/sales/mcp' ? 401 : 404),
      { location: 'https://agent.example/sales' },
    )
    expect(later.outcome).toBe('needs_auth')
    const methods = { 'tools/call': (_: unknown, response: ServerResponse) => none(response, 401) }
    const half = readDocument(await probe(buildScriptedAgent({ tasks: caps({}), methods })))
    expect(half).toMatchObject({ needs_auth: true, unread: ['capabilities'] })
    const answered = {
      isError: true,
      structuredContent: { proto_error: { code: 'AUTH_REQUIRED' } },
    }
    const said = await probe(buildScriptedAgent({ tasks: { get_proto_capabilities: answered } }))
    expect(readDocument(said)).toMatchObject({ needs_auth: true, unread: ['capabilities'] })
    expect(said.faults).toMatchObject([{ message: 'failed with AUTH_REQUIRED' }])
  })

  it('reports by its status that it is busy, and for how long', async () => {
    const busy = { code: 'RATE_LIMITED', retry_after: 90_000, recovery: 'transient' }
    const error = { code: -32_029, message: 'busy', data: { proto_error: busy } }
    const methods = {
      'tools/list': ({ call }: { call: { id?: number } }) => ({ id: call.id, error }),
    }
    const observation = await probe(buildScriptedAgent({ methods }))
    expect(observation).toMatchObject({ outcome: 'throttled', retry_after_s: 3_600 })
    const plain = {
      'tools/list': ({ call }: { call: { id?: number } }) => ({
        id: call.id,
        error: { code: -32_029 },
      }),
    }
    expect(await probe(buildScriptedAgent({ methods: plain }))).toMatchObject({
      outcome: 'unusable',
    })
  })

  it('on a host in backoff is not asked until that ends', async () => {
    const served = await serveAgentHost((_, response) =>
      response.writeHead(429, { 'retry-after': '86400' }).end(),
    )
    const fetcher = createFetcherTo(served.url)
    const before = await probeWith(fetcher)
    const held = await probeWith(fetcher, { location: 'https://agent.example/other/mcp' })
    for (const observation of [before, held]) {
      expect(observation).toMatchObject({ outcome: 'throttled', retry_after_s: 86_400 })
    }
    expect(served.asked).toHaveLength(1)
  })

  it('is a web page, or JSON that is no reply', async () => {
    const page = await probe((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    expect(page).toMatchObject({ outcome: 'not_json' })
    expect(await probe(() => ({ hello: 1 }))).toMatchObject({ outcome: 'unusable' })
    expect(await probe(() => [{ hello: 1 }])).toMatchObject({ outcome: 'not_json' })
  })

  it('is never asked at a private address, with a password, or without TLS', async () => {
    const host = await serveAgentHost(buildScriptedAgent({}))
    for (const location of [
      'https://127.0.0.1/mcp',
      'https://[::1]/mcp',
      'https://169.254.169.254/mcp',
      'https://metadata.internal/mcp',
      'http://agent.example/mcp',
      'https://me:secret@agent.example/mcp',
    ]) {
      expect(await probeHost(host, { location })).toMatchObject({ outcome: 'refused' })
    }
    expect(host.asked).toEqual([])
  })

  it('cannot redirect the registry: its redirects are not followed', async () => {
    const host = await serveAgentHost((_, response) =>
      response.writeHead(307, { location: 'https://169.254.169.254/latest' }).end(),
    )
    expect(await probeHost(host)).toMatchObject({ outcome: 'bad_redirect' })
    expect(host.asked.every(place => place.startsWith('agent.example/'))).toBe(true)
  })
})

describe('the last good answer of an agent', () => {
  const format_id = { agent_url: 'https://agent.example/mcp', id: 'banner' }
  const tasks = {
    ...caps({ supported_protocols: ['media_buy'] }),
    list_creative_formats: json({ formats: [{ format_id }] }),
    list_authorized_properties: json({ publisher_domains: ['a.example'] }),
  }
  const well = buildScriptedAgent({ tasks })
  /** Its card is a file, and is there whatever the agent does. */
  const withCard =
    (answer: AgentAnswer): AgentAnswer =>
    (ask, response) =>
      ask.path === '/.well-known/agent-card.json'
        ? { name: 'Both', skills: [{ id: 'get_signals' }] }
        : answer(ask, response)
  const replying = (result: object) =>
    buildScriptedAgent({ tasks, methods: { 'tools/list': ({ call: { id } }) => ({ id, result }) } })
  const good = async () => readDocument(await probe(withCard(well)))

  test.each<[string, Outcome, AgentAnswer]>([
    ...[500, 502, 504, 408].map<[string, Outcome, AgentAnswer]>(status => [
      `answers ${status} everywhere`,
      'server_error',
      (_, response) => none(response, status),
    ]),
    [
      'answers 502 at one of its places and 404 at the others',
      'server_error',
      ({ path }, response) => none(response, path === '/mcp/' ? 502 : 404),
    ],
    [
      'hangs at one of its places and answers 404 at the others',
      'timeout',
      ({ path }, response) => (path === '/mcp/' ? noAnswer : none(response, 404)),
    ],
    [
      'answers with JSON that is not a JSON-RPC response',
      'unusable',
      () => ({ error: 'try again later' }),
    ],
    ['answers with more than is read', 'too_large', () => ['x'.repeat(5 * 1024 * 1024)]],
    ['names no tools', 'unusable', replying({})],
    ['names tools that are no list', 'unusable', replying({ tools: 'oops' })],
    [
      'names tools that are no list on a later page',
      'unusable',
      buildScriptedAgent({
        methods: {
          'tools/list': ({ call: { id, params } }) => ({
            id,
            result: params?.cursor === undefined ? { tools: [], nextCursor: 'b' } : { tools: {} },
          }),
        },
      }),
    ],
  ])('remains while it %s, and its card does not replace it', async (_, outcome, answer) => {
    const hangs = outcome === 'timeout' && { limits: { probeMs: 1_000 } }
    const observation = await probe(withCard(answer), { ...hangs })
    expect(observation).toMatchObject({ outcome })
    expect(observation.document).toBeUndefined()
  })

  const listed = (formats: unknown) => ({ list_creative_formats: json({ formats } as object) })
  const text = 'x'.repeat(1_900)
  const large = Array.from({ length: 400 }, (_, i) => ({
    format_id: { ...format_id, id: `${i}` },
    text,
  }))
  test.each<[string, 'formats' | 'claims', object]>([
    ['formats that are no list', 'formats', listed('x')],
    ['no formats', 'formats', { list_creative_formats: json({ errors: [{ code: 'BUSY' }] }) }],
    ['formats that are too large to keep', 'formats', listed(large)],
    [
      'publishers that are no list',
      'claims',
      { list_authorized_properties: json({ publisher_domains: 'x' }) },
    ],
    ['no publishers', 'claims', { list_authorized_properties: json({}) }],
  ])('is kept part by part while it answers %s', async (_, part, answered) => {
    const before = await good()
    const observation = await probe(
      withCard(buildScriptedAgent({ tasks: { ...tasks, ...answered } })),
    )
    expect(observation.faults).toHaveLength(1)
    const document = readDocument(observation)
    expect(document.unread).toEqual([part])
    expect(carryOver(before, document, now)).toEqual({ ...before, unread: [part] })
  })

  it('ends with an answer that has nothing anymore', async () => {
    const answered = {
      list_creative_formats: json({ formats: [] }),
      list_authorized_properties: json({ properties: [] }),
    }
    const document = readDocument(
      await probe(withCard(buildScriptedAgent({ tasks: { ...tasks, ...answered } }))),
    )
    expect(carryOver(await good(), document, now)).toMatchObject({
      formats: [],
      claims: [],
      unread: [],
    })
  })

  test.each([400, 404, 405, 410, 501, 307])(
    'is that of its card where every place answers %i: nobody speaks MCP there',
    async status => {
      const observation = await probe(withCard((_, response) => none(response, status)))
      expect(readDocument(observation)).toMatchObject({
        protocols: ['a2a'],
        type: 'signals',
        unread: [],
      })
    },
  )
})

describe('a stream of events', () => {
  const listing = (id: unknown, name = 'get_signals') =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name }] } }, null, 1)
  const data = (text: string) =>
    `${text
      .split('\n')
      .map(line => `data: ${line}\n`)
      .join('')}\n`
  const list = (answer: (id: unknown, response: ServerResponse) => unknown) =>
    buildScriptedAgent({
      methods: { 'tools/list': ({ call }, response) => answer(call.id, response) },
    })

  it('is closed once the reply came, though the server continues forever', async () => {
    const host = await serveAgentHost(
      list((id, response) => {
        writeEventStream(
          response,
          ': ping\n\n',
          data('{"jsonrpc":"2.0","method":"notifications/message"}'),
          data(listing(999, 'of_somebody_else')),
          data('not json'),
          data(listing(`${id}x`, 'of_a_text')),
          data(listing(id)),
        )
        writeEndlessly(response, Buffer.from(': ping\n\n'))
        return noAnswer
      }),
    )
    const observation = await runWithin(1_500, () => probeHost(host))
    expect(readDocument(observation).tools.map(({ name }) => name)).toEqual(['get_signals'])
    expect(host.open.size).toBeLessThan(2)
  })

  it('is read incrementally when it is compressed', async () => {
    const observation = await probe(
      list((id, response) => {
        response.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'content-encoding': 'gzip',
        })
        response.write(gzipSync(data(listing(id))))
        return noAnswer
      }),
    )
    expect(observation.outcome).toBe('ok')
  })

  it('with replies to other requests ends with the time', async () => {
    const observation = await probe(
      list((_, response) => {
        writeEventStream(response)
        writeEndlessly(response, Buffer.from(data(listing(999))))
        return noAnswer
      }),
      { limits: { probeMs: 400 } },
    )
    expect(observation.outcome).toBe('timeout')
  })

  it('that ends without a reply is none', async () => {
    const observation = await probe(
      list((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(data(listing(999)))
        return noAnswer
      }),
    )
    expect(observation).toMatchObject({ outcome: 'not_json' })
  })

  it('with one enormous event is not read to the end', async () => {
    const observation = await probe(
      list((_, response) => {
        writeEventStream(response, 'data: ')
        writeEndlessly(response, Buffer.alloc(256 * 1024, 'x'))
        return noAnswer
      }),
    )
    expect(observation).toMatchObject({ outcome: 'too_large' })
  })
})

describe('a hostile agent', () => {
  it('loses malformed parts and keeps the rest', async () => {
    const tools = [
      null,
      7,
      { name: 7 },
      { name: 'x'.repeat(500) },
      {
        name: 'get_signals',
        description: `a\u0000b\u202e${'ü'.repeat(9_000)}`,
        inputSchema: 'none',
      },
      { name: 'get_signals', description: 'twice' },
    ]
    const observation = await probe(buildScriptedAgent({ tools }))
    const [tool, ...others] = readDocument(observation).tools
    expect(others).toEqual([])
    expect(tool!.description).toMatch(/^abü+$/)
    expect(tool!.description!.length).toBeLessThanOrEqual(2_000)
    expect(observation.faults).toHaveLength(4)
  })

  it('with endless pages is read up to a bound, and once around a cycle', async () => {
    let pages = 0
    const paged = (toCursor: (page: number) => string) =>
      buildScriptedAgent({
        methods: {
          'tools/list': ({ call }) => {
            const page = ++pages
            const tools = [{ name: `tool_${String(page).padStart(3, '0')}` }]
            return { jsonrpc: '2.0', id: call.id, result: { tools, nextCursor: toCursor(page) } }
          },
        },
      })
    expect(readDocument(await probe(paged(page => `p${page}`))).tools).toHaveLength(20)
    pages = 0
    expect(readDocument(await probe(paged(() => 'same'))).tools).toHaveLength(2)
  })

  it('keeps a list without a later page that failed', async () => {
    const methods: Parameters<typeof buildScriptedAgent>[0]['methods'] = {
      'tools/list': ({ call }, response) =>
        call.params?.cursor === undefined
          ? { jsonrpc: '2.0', id: call.id, result: { tools: [{ name: 'a' }], nextCursor: 'b' } }
          : none(response, 503),
    }
    expect(await probe(buildScriptedAgent({ methods }))).toMatchObject({ outcome: 'server_error' })
  })

  it('cannot make its document large', async () => {
    const tools = Array.from({ length: 2_000 }, (_, i) => ({
      name: `tool_${i}`,
      description: '"'.repeat(1_500),
      inputSchema: { type: 'object', description: 'x'.repeat(1_000) },
    }))
    const format = {
      format_id: { agent_url: 'https://a.example', id: 'f' },
      text: 'x'.repeat(1_000),
    }
    const formats = Array.from({ length: 480 }, (_, i) => ({
      ...format,
      format_id: { ...format.format_id, id: `f${i}` },
    }))
    const observation = await probe(
      buildScriptedAgent({
        tools: [...tools.slice(0, 700), { name: 'list_creative_formats' }],
        tasks: { list_creative_formats: json({ formats }) },
      }),
    )
    const document = readDocument(observation)
    expect(document.tools).toHaveLength(500)
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(768 * 1024)
  })

  it('with ten megabytes in one answer is not read to the end', async () => {
    const tasks = caps({ description: 'x'.repeat(10 * 1024 * 1024) })
    const observation = await probe(buildScriptedAgent({ tasks }))
    expect(readDocument(observation)).toMatchObject({ unread: ['capabilities'] })
    expect(observation.faults).toMatchObject([{ field: 'get_proto_capabilities' }])
  })

  it('with deep nesting yields nothing', async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const tasks = { get_proto_capabilities: { content: [{ type: 'text', text: deep }] } }
    expect(readDocument(await probe(buildScriptedAgent({ tasks })))).toMatchObject({
      unread: ['capabilities'],
    })
  })

  it('gets no text of its own into a fault', async () => {
    const error = { code: '<script>', message: 'call 555 at https://evil.example' }
    const tasks = { get_proto_capabilities: { isError: true, ...json(error) } }
    const observation = await probe(buildScriptedAgent({ tasks }))
    expect(observation.faults).toEqual([
      {
        field: 'get_proto_capabilities',
        code: 'refused_answer',
        message: 'failed with a code of its own',
        severity: 'error',
      },
    ])
  })

  it('that hangs takes its time budget and no more', async () => {
    const host = await serveAgentHost(() => noAnswer)
    const observation = await runWithin(1_500, () => probeHost(host, { limits: { probeMs: 300 } }))
    expect(observation).toMatchObject({ outcome: 'timeout' })
  })
})

describe('formats', () => {
  const listed = async (formats: unknown) =>
    probe(buildScriptedAgent({ tasks: { list_creative_formats: json({ formats } as object) } }))

  it('must name the agent that defines them', async () => {
    const observation = await listed([
      'banner',
      { format_id: 'banner' },
      { format_id: { agent_url: 'ftp://a.example', id: 'x' } },
      { format_id: { agent_url: 'https://a.example', id: 'x' }, name: 'X' },
    ])
    expect(readDocument(observation).formats).toEqual([
      { format_id: { agent_url: 'https://a.example', id: 'x' }, name: 'X' },
    ])
    expect(observation.faults).toHaveLength(3)
  })

  it('beyond five hundred are dropped, and so is a list that is too large', async () => {
    const id = (i: number) => ({ agent_url: 'https://a.example', id: String(i) })
    const many = await listed(Array.from({ length: 600 }, (_, i) => ({ format_id: id(i) })))
    expect(readDocument(many).formats).toHaveLength(500)
    const text = 'x'.repeat(1_900)
    const large = await listed(Array.from({ length: 400 }, (_, i) => ({ format_id: id(i), text })))
    expect(readDocument(large).formats).toBeUndefined()
    expect(large.faults).toMatchObject([{ field: 'formats' }])
  })
})

describe('a measurement block', () => {
  const metric = { metric_id: 'viewability', unit: 'percent' }
  const accreditation = { accrediting_body: 'Board', valid_until: '2030-01-31' }
  const measured = async (metrics: unknown) => {
    const observation = await probe(
      buildScriptedAgent({ tasks: caps({ measurement: { metrics } }) }),
    )
    return { measurement: readDocument(observation).capabilities?.measurement, seen: observation }
  }

  it('is stored without the vendor’s own claims of verification', async () => {
    const claims = [{ ...accreditation, verified_by_aao: true }]
    const { measurement, seen: observation } = await measured([
      { ...metric, accreditations: claims, extra: 1 },
    ])
    expect(measurement).toEqual({
      metrics: [{ ...metric, accreditations: [{ ...accreditation, verified_by_aao: false }] }],
    })
    expect(readDocument(observation).type).toBe('measurement')
    expect(observation.faults).toEqual([])
  })

  it('is stripped of control characters', async () => {
    const { measurement } = await measured([{ metric_id: 'a\u0007b\u200b', description: 'x\n y' }])
    expect(measurement?.metrics[0]).toEqual({ metric_id: 'ab', description: 'x  y' })
  })

  it.each<[string, unknown]>([
    ['no metrics', []],
    ['metrics that are none', 'viewability'],
    ['501 metrics', Array.from({ length: 501 }, (_, i) => ({ metric_id: `m${i}` }))],
    ['a metric twice', [metric, metric]],
    ['a metric without an id', [{ unit: 'percent' }]],
    ['an id of 257 characters', [{ metric_id: 'x'.repeat(257) }]],
    ['an id of control characters alone', [{ metric_id: '\u0001' }]],
    ['a description of 2,001 characters', [{ ...metric, description: 'x'.repeat(2_001) }]],
    ['a unit of 65 characters', [{ ...metric, unit: 'x'.repeat(65) }]],
    ['a plain http address', [{ ...metric, methodology_url: 'http://a.example' }]],
    ['an address with a script', [{ ...metric, methodology_url: 'javascript:alert(1)' }]],
    ['markup', [{ ...metric, description: 'good <img src=x>' }]],
    ['a script behind a control character', [{ ...metric, description: '<\u0000script>' }]],
    ['a handler', [{ ...metric, description: 'x" onerror=alert(1)' }]],
    ['33 accreditations', [{ ...metric, accreditations: Array(33).fill(accreditation) }]],
    [
      'a body of 129 characters',
      [{ ...metric, accreditations: [{ accrediting_body: 'x'.repeat(129) }] }],
    ],
    [
      'a date that is none',
      [{ ...metric, accreditations: [{ ...accreditation, valid_until: '2030-02-30' }] }],
    ],
    [
      'a moment for a date',
      [{ ...metric, accreditations: [{ ...accreditation, valid_until: '2030-01-31T00:00:00Z' }] }],
    ],
    ['an accreditation by nobody', [{ ...metric, accreditations: [{}] }]],
  ])('is left out as a whole for %s', async (_, metrics) => {
    const { measurement, seen: observation } = await measured(metrics)
    expect(measurement).toBeUndefined()
    expect(readDocument(observation).type).toBe('unknown')
    expect(observation.faults).toHaveLength(1)
  })

  it('counts comparisons and equations as texts', async () => {
    const { measurement } = await measured([{ ...metric, description: 'if x < 3 and on = 4' }])
    expect(measurement).toBeDefined()
  })
})
