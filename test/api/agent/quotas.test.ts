import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Limits } from '../../../pipeline/core/limits.ts'
import {
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../../support/servers/reference-agent.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
let agent: ReferenceAgent
let clock: TestClock

async function start(limits: Partial<Limits>): Promise<void> {
  clock = testClock('2026-11-20T00:00Z')
  agent = await startReferenceAgent(clock, undefined, limits)
}

afterEach(() => agent.close())

const messages = {
  mcp: { method: 'tools/call', params: { name: 'list_accounts', arguments: {} } },
  a2a: {
    method: 'message/send',
    params: {
      message: {
        kind: 'message',
        messageId: 'm1',
        role: 'user',
        parts: [{ kind: 'data', data: { skill: 'list_accounts', input: {} } }],
      },
    },
  },
}

const post = (transport: keyof typeof messages, remoteAddress: string) =>
  agent.app.inject({
    method: 'POST',
    url: `/sales/${transport}`,
    remoteAddress,
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
    payload: { jsonrpc: '2.0', id: 7, ...messages[transport] },
  })

describe.each(['mcp', 'a2a'] as const)('over %s', transport => {
  test('a credential has a limited number of calls a minute, from whatever addresses', async () => {
    await start({ agentCredentialCallsPerMinute: 2 })
    expect((await post('mcp', '192.0.2.1')).statusCode).toBe(200)
    expect((await post('a2a', '192.0.2.2')).statusCode).toBe(200)
    const refused = await post(transport, '192.0.2.3')
    expect(refused.statusCode).toBe(429)
    const seconds = Number(refused.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    const failure = { code: 'RATE_LIMITED', retry_after: seconds }
    expect(refused.json()).toMatchObject({
      ...failure,
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32_029, data: { adcp_error: { ...failure, recovery: 'transient' } } },
    })
  })

  test('a credential that used up a minute may call again in the next one', async () => {
    await start({ agentCredentialCallsPerMinute: 1 })
    await post(transport, '192.0.2.1')
    clock.tick({ ms: 59_000 })
    const refused = await post(transport, '192.0.2.1')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
    clock.tick({ ms: 1_000 })
    expect((await post(transport, '192.0.2.1')).statusCode).toBe(200)
  })

  test('several calls in one body count each', async () => {
    await start({ agentCredentialCallsPerMinute: 3 })
    const payload = [1, 2, 3, 4].map(id => ({ jsonrpc: '2.0', id, ...messages[transport] }))
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json' }
    const refused = await agent.app.inject({
      method: 'POST',
      url: `/sales/${transport}`,
      headers,
      payload,
    })
    expect(refused.statusCode).toBe(429)
  })

  test('an address that calls too often gets the same answer', async () => {
    await start({ agentCallsPerMinute: 1 })
    await post(transport, '192.0.2.1')
    const refused = await post(transport, '192.0.2.1')
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({
      code: 'RATE_LIMITED',
      retry_after: Number(refused.headers['retry-after']),
      error: { code: -32_029, data: { adcp_error: { code: 'RATE_LIMITED' } } },
    })
    expect((await post(transport, '192.0.2.2')).statusCode).toBe(200)
  })
})

describe('what a credential stores at a tenant is bounded:', () => {
  const order = (idempotency_key: string) => ({
    idempotency_key,
    account,
    brand: account.brand,
    start_time: '2026-12-01T00:00:00Z',
    end_time: '2026-12-02T00:00:00Z',
    packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 10 }],
  })

  test('its oldest records go first, but its idempotency keys stay in force', async () => {
    await start({ agentCredentialBytes: 40_000 })
    const bought: { key: string; id: string }[] = []
    for (let n = 0; n < 20; n++) {
      clock.tick({ ms: 1000 })
      const key = randomUUID()
      const { media_buy_id } = await agent.succeed('sales', 'create_media_buy', order(key))
      bought.push({ key, id: media_buy_id })
    }
    const media_buy_ids = bought.map(({ id }) => id)
    const { media_buys } = await agent.succeed('sales', 'get_media_buys', { media_buy_ids })
    const left = media_buys.map((buy: { media_buy_id: string }) => buy.media_buy_id)
    expect(left.length).toBeGreaterThan(2)
    expect(left.length).toBeLessThan(20)
    expect(left).toEqual(bought.slice(-left.length).map(({ id }) => id))
    const again = order(bought[0]!.key)
    expect((await agent.fail('sales', 'create_media_buy', again)).code).toBe('IDEMPOTENCY_EXPIRED')
    const last = await agent.succeed('sales', 'create_media_buy', order(bought.at(-1)!.key))
    expect(last).toMatchObject({ media_buy_id: bought.at(-1)!.id, replayed: true })
  })

  test('one caller with the public credential displaces nobody else’s records', async () => {
    await start({ agentCredentialBytes: 40_000 })
    const callFrom = async (remoteAddress: string, name: string, given: object) => {
      const answer = await agent.app.inject({
        method: 'POST',
        url: '/sales/mcp',
        remoteAddress,
        headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
        payload: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: given },
        },
      })
      return answer.json().result.structuredContent
    }
    const { media_buy_id } = await callFrom('192.0.2.1', 'create_media_buy', order(randomUUID()))
    for (let n = 0; n < 40; n++) {
      clock.tick({ ms: 1000 })
      const bought = await callFrom('192.0.2.66', 'create_media_buy', order(randomUUID()))
      expect(bought.media_buy_id).toBeTruthy()
    }
    const media_buy_ids = [media_buy_id]
    const found = await callFrom('192.0.2.1', 'get_media_buys', { media_buy_ids })
    expect(found.media_buys).toMatchObject([{ media_buy_id }])
  })

  test('another tenant has its own share, and the keys that sign are not among it', async () => {
    await start({ agentCredentialBytes: 10_000 })
    const keySet = async () => (await agent.app.inject('/.well-known/jwks.json')).json()
    const before = await keySet()
    const creative = { ...account, account, creatives: [] as object[] }
    const image = { asset_type: 'image', url: 'https://cdn.example/a.png', width: 300, height: 250 }
    const format_id = { agent_url: 'https://agent.example/creative/mcp', id: 'display_300x250' }
    creative.creatives = [{ creative_id: 'c1', name: 'One', format_id, assets: { image } }]
    const sync = (tenant: string, given: object) =>
      agent.succeed(tenant, 'sync_creatives', { idempotency_key: randomUUID(), ...given })
    await sync('creative', creative)
    for (let n = 0; n < 20; n++) await agent.call('sales', 'create_media_buy', order(randomUUID()))
    const { creatives } = await agent.succeed('creative', 'list_creatives', { account })
    expect(creatives).toHaveLength(1)
    expect(await keySet()).toEqual(before)
  })

  test('records that are changed again and again take no more space', async () => {
    await start({ agentCredentialBytes: 60_000 })
    const { media_buy_id } = await agent.succeed('sales', 'create_media_buy', order(randomUUID()))
    const brand = { domain: 'other.example' }
    for (let n = 0; n < 100; n++) {
      await agent.succeed('sales', 'comply_test_controller', {
        scenario: 'seed_product',
        params: { product_id: 'a-product', fixture: { description: `${n}`.repeat(500) } },
        account: { brand, operator: 'agency.example' },
      })
    }
    const media_buy_ids = [media_buy_id]
    const { media_buys } = await agent.succeed('sales', 'get_media_buys', { media_buy_ids })
    expect(media_buys).toMatchObject([{ media_buy_id }])
  })
})
