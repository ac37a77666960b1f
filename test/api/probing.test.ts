import { beforeEach, describe, expect, it, test } from 'vitest'
import { openWriterClient } from '../../jobs/api-client/writer-client.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { runWithin } from '../support/checks/measured-work.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildAgentHost, openLiveWeb } from '../support/servers/live-web.ts'

const paths = ['discover-agent', 'agent-formats', 'agent-products', 'agent-publishers'] as const
const formatId = (id: string) => ({ agent_url: 'https://maker.example/mcp', id })

const web = openForAll(() =>
  openLiveWeb({
    'seller.example': {
      '/mcp': buildAgentHost(
        {
          get_products: {
            products: [
              {
                product_id: 'p1',
                name: 'Run of site',
                secret: 'inner',
                base_rate: 2.5,
                description: `\u0000${'d'.repeat(5_000)}`,
                currency: 'E'.repeat(40),
                format_options: Array.from({ length: 90 }, (_, i) => ({ id: `f${i}` })),
              },
            ],
          },
          list_authorized_properties: {
            properties: [
              { domain: 'acme.example', type: 'domain', verified: true, tags: ['b', 'a'] },
            ],
          },
        },
        'Seller',
      ),
      '/.well-known/agent-card.json': { name: 'Seller card', description: 'Sells' },
    },
    'maker.example': {
      '/mcp': buildAgentHost({
        get_proto_capabilities: {
          creative: {
            supported_formats: [
              { capability_id: 'c1', format: { format_kind: 'display' }, operations: ['build'] },
            ],
          },
        },
        build_creative: {},
      }),
    },
    'older.example': {
      '/mcp': buildAgentHost({
        list_creative_formats: { formats: [{ format_id: formatId('banner'), name: 'Banner' }] },
      }),
    },
    'many.example': {
      '/mcp': buildAgentHost({
        get_products: {
          products: Array.from({ length: 500 }, (_, i) => ({ product_id: `p${i}` })),
        },
        list_authorized_properties: { publisher_domains: ['b.example', 'a.example'] },
      }),
    },
    'endless.example': {
      '/mcp': buildAgentHost({
        list_creative_formats: {
          formats: Array.from({ length: 200 }, (_, i) => ({
            format_id: formatId(`f${i}`),
            note: 'x'.repeat(1_900),
            more: 'y'.repeat(1_900),
          })),
        },
      }),
    },
    'card.example': {
      '/.well-known/agent.json': { name: 'Card only', skills: [{ id: 'get_signals' }] },
    },
    'closed.example': { '*': ({ response }) => response.writeHead(401).end() },
    'page.example': { '*': '<!doctype html><p>Hello' },
    'patient.example': {
      '/mcp': ask => setTimeout(() => buildAgentHost({ get_products: { products: [] } })(ask), 100),
    },
    'hangs-up.example': { '*': ({ request }) => request.socket.destroy() },
  }),
)
const registry = openForAll(() => web.open())

beforeEach(() => web.forget())

const ask = (path: (typeof paths)[number], url?: string, at = registry) =>
  at.app.inject(`/api/public/${path}${url === undefined ? '' : `?url=${encodeURIComponent(url)}`}`)

describe('GET /api/public/discover-agent', () => {
  it('200: what an agent is and offers, from its tools and its card', async () => {
    const answer = await ask('discover-agent', 'https://seller.example/mcp')
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        name: 'Seller',
        description: 'Sells',
        protocols: ['mcp', 'a2a'],
        type: 'sales',
        tools_count: 2,
        tools: [{ name: 'get_products' }, { name: 'list_authorized_properties' }],
        stats: { product_count: 1, publisher_count: 0 },
      },
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.each([
    [
      'https://maker.example/mcp',
      { type: 'creative', protocols: ['mcp'], stats: { format_count: 1 } },
    ],
    ['https://older.example', { type: 'creative', name: 'Trained Agent' }],
    ['https://card.example', { type: 'signals', protocols: ['a2a'], name: 'Card only', stats: {} }],
  ])('200: %s', async (url, told) => {
    expect((await ask('discover-agent', url)).json()).toMatchObject(told)
  })
})

describe('lists of an agent', () => {
  it('200: formats from its capabilities, else those it lists', async () => {
    expect((await ask('agent-formats', 'https://maker.example/mcp')).json()).toMatchObject({
      success: true,
      offered: true,
      total: 1,
      truncated: false,
      formats: [{ capability_id: 'c1', operations: ['build'] }],
    })
    expect((await ask('agent-formats', 'https://older.example/mcp')).json().formats).toEqual([
      {
        capability_id: 'preview_banner',
        operations: ['preview'],
        format: { format_id: formatId('banner'), name: 'Banner' },
      },
    ])
  })

  it('200: products, cut to the requested number', async () => {
    const { products, ...rest } = (await ask('agent-products', 'https://seller.example/mcp')).json()
    expect(rest).toEqual({ success: true, offered: true, total: 1, truncated: false })
    const [product] = products
    expect(Object.keys(product).sort()).toEqual([
      'base_rate',
      'currency',
      'description',
      'format_options',
      'name',
      'product_id',
    ])
    expect(product.description).toMatch(/^d{1999,2000}$/)
    expect([product.currency.length, product.format_options.length]).toEqual([16, 50])
  })

  it('200: at most two hundred items', async () => {
    const { products, total, truncated } = (
      await ask('agent-products', 'https://many.example/mcp')
    ).json()
    expect([products.length, total, truncated]).toEqual([200, 500, true])
  })

  it('200: publishers that it claims to sell, marked as claims', async () => {
    expect((await ask('agent-publishers', 'https://seller.example/mcp')).json().properties).toEqual(
      [{ domain: 'acme.example', type: 'domain', tags: ['a', 'b'] }],
    )
    expect((await ask('agent-publishers', 'https://many.example/mcp')).json().properties).toEqual([
      { domain: 'a.example', identifier: 'a.example', type: 'domain' },
      { domain: 'b.example', identifier: 'b.example', type: 'domain' },
    ])
  })

  it('200: an agent without such a task has none', async () => {
    expect((await ask('agent-products', 'https://maker.example/mcp')).json()).toEqual({
      success: true,
      products: [],
      offered: false,
      total: 0,
      truncated: false,
    })
  })

  it('502: an answer too large to pass on', async () => {
    const answer = await ask('agent-formats', 'https://endless.example/mcp')
    expect(answer.statusCode).toBe(502)
  })
})

describe.each(paths)('GET /api/public/%s, refused', path => {
  it('504: an agent that takes too long', async () => {
    const slow = { 'slow.example': { '*': () => undefined } }
    const hasty = await openLiveWeb(slow, { agentAskMs: 500, agentCardMs: 400 })
    const at = await hasty.open()
    const answer = await runWithin(4_000, () => ask(path, 'https://slow.example/mcp', at))
    expect([answer.statusCode, answer.json()]).toEqual([
      504,
      {
        error: 'The agent did not answer in time.',
        message: 'The agent did not answer in time.',
        reason: 'timeout',
        retry_after: 60,
        code: 'gateway_timeout',
      },
    ])
    await hasty.close()
  })

  it('502: a web page, and an agent that requires a credential', async () => {
    expect((await ask(path, 'https://page.example/mcp')).statusCode).toBe(502)
    const closed = await ask(path, 'https://closed.example/mcp')
    expect([closed.statusCode, closed.json()]).toMatchObject([502, { oauth_required: true }])
  })

  it('502: a private network looks like a server that does not exist', async () => {
    const away = await ask(path, 'https://hangs-up.example/mcp')
    expect([away.statusCode, away.json().error]).toEqual([502, 'The agent cannot be reached.'])
    for (const url of [
      'https://10.0.0.1/mcp',
      'http://169.254.169.254/',
      'https://[::1]:6379',
      'https://printer.local/mcp',
      'https://localhost/mcp',
    ]) {
      const inward = await ask(path, url)
      expect([url, inward.statusCode, inward.json()]).toEqual([url, 502, away.json()])
    }
  })

  test.each([
    [undefined],
    [''],
    ['agent.example'],
    ['ftp://a.example'],
    ['https://u:p@a.example'],
    ['https://a b'],
    [`https://a.example/${'x'.repeat(3_000)}`],
  ])('400: %s', async url => {
    const answer = await ask(path, url)
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.stringMatching(/^`url` /),
    ])
    expect(web.origin.asked).toEqual([])
  })

  it('503: without a crawler no agent can be reached', async () => {
    const gone = openWriterClient(`unix:///nowhere-${process.pid}.sock`, silentLog)
    const own = await web.open({}, { writer: { requestLive: gone.requestLive } })
    expect((await ask(path, 'https://seller.example/mcp', own)).statusCode).toBe(503)
    await gone.close()
  })
})

describe('bounds of live requests to agents', () => {
  it('equal requests are sent once, and a recent answer is sent again', async () => {
    const own = await web.open({ answerKeptSeconds: 10 })
    const url = 'https://patient.example/mcp'
    const answers = await Promise.all([1, 2, 3].map(() => ask('agent-products', url, own)))
    const requests = web.origin.asked.length
    answers.push(await ask('agent-products', url, own))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    expect(web.origin.asked).toHaveLength(requests)
  })
})
