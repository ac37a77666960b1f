import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { listSchemaFaults } from '../../support/checks/protocol-schemas.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  anyJson,
  type Payload,
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T03:00Z')))
let app: ReferenceAgent['app']
let post: ReferenceAgent['post']
let call: ReferenceAgent['call']
let succeed: ReferenceAgent['succeed']

beforeAll(async () => {
  ;({ app, post, call, succeed } = agent)
})

describe('answers match the public schemas', () => {
  test.each([
    ['sales', 'get_products', { buying_mode: 'wholesale' }, 'media-buy/get-products-response.json'],
    ['sales', 'get_products', { brief: 'food' }, 'media-buy/get-products-response.json'],
    [
      'sales',
      'get_products',
      {
        buying_mode: 'refine',
        refine: [
          { scope: 'product', product_id: 'summit_sports_ctv_reserved', action: 'more_like_this' },
          { scope: 'proposal', proposal_id: 'p1', action: 'finalize' },
          { scope: 'request', ask: 'cheaper' },
        ],
      },
      'media-buy/get-products-response.json',
    ],
    ['sales', 'list_creative_formats', {}, 'media-buy/list-creative-formats-response.json'],
    ['creative', 'list_creative_formats', {}, 'creative/list-creative-formats-response.json'],
    ['signals', 'get_signals', { signal_spec: 'runners' }, 'signals/get-signals-response.json'],
    ['sales', 'get_adcp_capabilities', {}, 'protocol/get-adcp-capabilities-response.json'],
    ['signals', 'get_adcp_capabilities', {}, 'protocol/get-adcp-capabilities-response.json'],
    ['creative', 'get_adcp_capabilities', {}, 'protocol/get-adcp-capabilities-response.json'],
    ['brand', 'get_adcp_capabilities', {}, 'protocol/get-adcp-capabilities-response.json'],
  ])('%s: %s %j', async (tenant, name, args, schema) => {
    expect(listSchemaFaults(schema, await succeed(tenant, name, args))).toEqual([])
  })
})

describe('products', () => {
  const ids = (payload: Payload) => payload.products.map((one: Payload) => one.product_id)

  test('are ordered by their match with the brief', async () => {
    const food = await succeed('sales', 'get_products', { brief: 'Cooking and recipes' })
    expect(ids(food)[0]).toMatch(/^harborview_kitchen_/)
    const all = await succeed('sales', 'get_products', { brief: 'zzz' })
    expect(ids(all)).toHaveLength(11)
  })

  test('are valid products also when only a few fields are requested', async () => {
    const args = { brief: 'food', fields: ['channels'] }
    const answer = await succeed('sales', 'get_products', args)
    expect(listSchemaFaults('media-buy/get-products-response.json', answer)).toEqual([])
    expect(answer.products[0]).toHaveProperty('channels')
    expect(answer.products[0]).not.toHaveProperty('forecast')
  })

  test('all pass the filters, and their formats are listed', async () => {
    const filters = { channels: ['ctv'], countries: ['de'], delivery_type: 'guaranteed' }
    const { products } = await succeed('sales', 'get_products', { brief: 'sports', filters })
    expect(products.map((one: Payload) => one.product_id)).toEqual(['summit_sports_ctv_reserved'])
    const { formats } = await succeed('sales', 'list_creative_formats', {
      format_ids: products[0].format_ids,
    })
    expect(formats.map((one: Payload) => one.format_id)).toEqual(products[0].format_ids)
  })

  test('are refined request by request, and each is answered in its place', async () => {
    const product_id = 'driftwood_radio_streaming_audio_reserved'
    const refined = await succeed('sales', 'get_products', {
      buying_mode: 'refine',
      refine: [
        { scope: 'product', product_id },
        { scope: 'product', product_id: 'nothing', action: 'omit' },
      ],
    })
    expect(ids(refined)).toEqual([product_id])
    expect(refined.refinement_applied).toEqual([
      { scope: 'product', product_id, status: 'applied' },
      { scope: 'product', product_id: 'nothing', status: 'unable', notes: expect.any(String) },
    ])
  })

  test('of all pages together are all products, each once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), async max_results => {
        const foundIds: string[] = []
        for (let cursor: string | undefined; ; ) {
          const pagination = { max_results, ...(cursor && { cursor }) }
          const page = await succeed('sales', 'get_products', {
            buying_mode: 'wholesale',
            pagination,
          })
          foundIds.push(...ids(page))
          expect(page.pagination.has_more).toBe(page.pagination.cursor !== undefined)
          cursor = page.pagination.cursor
          if (!cursor) break
        }
        expect(foundIds).toHaveLength(11)
        expect(new Set(foundIds).size).toBe(11)
      }),
      { numRuns: 12 },
    )
  })
})

test.each(['3.0', '3.1', '3.1-beta.1', '3.99', undefined])(
  'a request of version %s is answered by 3.0, and the answer says so',
  async adcp_version => {
    const request = { buying_mode: 'wholesale', ...(adcp_version && { adcp_version }) }
    const answer = await succeed('sales', 'get_products', request)
    expect(answer.adcp_version).toBe('3.0')
    expect(listSchemaFaults('media-buy/get-products-response.json', answer)).toEqual([])
    const { adcp } = await succeed('sales', 'get_adcp_capabilities')
    expect(adcp).toMatchObject({ major_versions: [3], supported_versions: ['3.0'] })
  },
)

describe('a request that cannot be carried out gets an error', () => {
  test.each([
    ['sales', 'get_products', { buying_mode: 'refine' }, 'INVALID_REQUEST', 'refine'],
    ['sales', 'get_products', { buying_mode: 'wholesale', brief: 'x' }, 'INVALID_REQUEST', 'brief'],
    ['sales', 'get_products', { brief: 7 }, 'INVALID_REQUEST', 'brief'],
    [
      'sales',
      'get_products',
      { pagination: { cursor: 'x' } },
      'INVALID_REQUEST',
      'pagination.cursor',
    ],
    ['sales', 'list_creative_formats', { format_ids: ['x'] }, 'INVALID_FORMAT_ID', 'format_ids[0]'],
    [
      'sales',
      'get_products',
      { adcp_major_version: 99 },
      'VERSION_UNSUPPORTED',
      'adcp_major_version',
    ],
    ['sales', 'get_products', { adcp_version: '4.0' }, 'VERSION_UNSUPPORTED', 'adcp_version'],
    ['sales', 'get_products', { adcp_version: 'new' }, 'VERSION_UNSUPPORTED', 'adcp_version'],
    ['signals', 'get_signals', {}, 'INVALID_REQUEST', 'signal_spec'],
    ['brand', 'get_brand_identity', { brand_id: 'x' }, 'BRAND_NOT_FOUND', 'brand_id'],
    ['brand', 'get_brand_identity', {}, 'INVALID_REQUEST', 'brand_id'],
  ])('%s: %s %j is %s at %s', async (tenant, name, args, code, field) => {
    const context = { trace: 'abc' }
    const { isError, payload } = await call(tenant, name, { ...args, context })
    expect(isError).toBe(true)
    expect(payload).toMatchObject({ code, adcp_error: { code, field }, context })
    expect(payload.message).toBe(payload.adcp_error.message)
  })

  test('a task that does not exist, or belongs to another tenant, is refused', async () => {
    for (const name of ['make_coffee', 'get_signals', '__proto__']) {
      expect(await call('sales', name)).toMatchObject({
        isError: true,
        payload: { code: 'INVALID_REQUEST' },
      })
    }
  })

  test('any arguments get a result', async () => {
    const tasks = [
      ['sales', 'get_products'],
      ['sales', 'list_creative_formats'],
      ['signals', 'get_signals'],
      ['brand', 'get_brand_identity'],
      ['sales', 'get_adcp_capabilities'],
    ] as const
    const keys = fc.constantFrom(
      'brief',
      'refine',
      'filters',
      'pagination',
      'format_ids',
      'fields',
      'signal_spec',
      'brand_id',
      'protocols',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tasks),
        fc.dictionary(keys, anyJson),
        async ([tenant, name], args) => {
          const { isError, payload } = await call(tenant, name, args)
          if (isError) expect(payload.code).not.toBe('SERVICE_UNAVAILABLE')
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('the endpoint', () => {
  test('refuses callers without a credential before it reads the body', async () => {
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`]) {
      const answer = await post('sales', { method: 'tools/list' }, { authorization })
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="https://agent.example"')
    }
    const other = { authorization: '', 'x-adcp-auth': TOKEN }
    expect((await post('sales', { method: 'tools/list' }, other)).statusCode).toBe(200)
  })

  test('answers as an event stream or as JSON, as the client accepts', async () => {
    const accept = 'application/json, text/event-stream'
    const stream = await post('sales', { method: 'tools/list' }, { accept })
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.body).toMatch(/^event: message\ndata: \{/)
    const json = await post('sales', { method: 'tools/list' })
    expect(json.headers['content-type']).toMatch(/^application\/json/)
    const names = json.json().result.tools.map((tool: Payload) => tool.name)
    expect(names).toContain('get_products')
  })

  test('uses the same words for errors outside of tasks', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const at = (url: string, payload: string) =>
      app.inject({ method: 'POST', url, headers, payload })
    for (const payload of ['{', '{"__proto__":{}}', '']) {
      const answer = await at('/sales/mcp', payload)
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST' })
    }
    const huge = await at('/sales/mcp', `"${'x'.repeat(1024 * 1024)}"`)
    expect([huge.statusCode, huge.json().code]).toEqual([413, 'INVALID_REQUEST'])
    const nowhere = await at('/coffee/mcp', '{}')
    expect([nowhere.statusCode, nowhere.json().code]).toEqual([404, 'REFERENCE_NOT_FOUND'])
  })

  test('accepts notifications and opens no streams of its own', async () => {
    const reply = await post('sales', { id: undefined, method: 'notifications/initialized' })
    expect(reply.statusCode).toBe(202)
    const got = await app.inject({ url: '/sales/mcp' })
    expect([got.statusCode, got.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    const asked = await app.inject({ method: 'OPTIONS', url: '/sales/mcp' })
    expect(asked.statusCode).toBe(204)
    expect(asked.headers['access-control-allow-origin']).toBe('*')
  })

  test('is found by the files of its origin', async () => {
    const { tenants } = (await app.inject('/.well-known/adagents.json')).json()
    const { agents } = (await app.inject('/.well-known/brand.json')).json()
    expect(tenants.map((one: Payload) => one.url)).toEqual(agents.map((one: Payload) => one.url))
    for (const { tenant, tools } of tenants) {
      const listed = (await post(tenant, { method: 'tools/list' })).json().result.tools
      expect(listed.map((tool: Payload) => tool.name)).toEqual(tools)
    }
  })
})
