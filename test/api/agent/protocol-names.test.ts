import { afterEach, describe, expect, test } from 'vitest'
import { WebhookSender } from '../../../api/agent/webhooks/sender.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import {
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { createFetcherTo, startOrigin } from '../../support/worlds/fetching.ts'

/** The agent as it is started with nothing set: the protocol has a name of its own there. */
const asStarted = { PROTOCOL_NAME: undefined }
const clock = testClock('2026-11-20T00:00Z')
const configured = 'get_proto_capabilities'
const published = 'get_adcp_capabilities'
const order = {
  account: { brand: { domain: 'acme.example' }, operator: 'agency.example' },
  brand: { domain: 'acme.example' },
  start_time: 'asap',
  end_time: '2026-12-01T00:00:00Z',
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
}

let agent: ReferenceAgent
const start = async (settings: Record<string, string | undefined> = {}) => {
  agent = await startReferenceAgent(clock, undefined, {}, { ...asStarted, ...settings })
}
const listTools = async (): Promise<string[]> => {
  const answer = await agent.post('sales', { method: 'tools/list' })
  return answer.json().result.tools.map(({ name }: { name: string }) => name)
}

afterEach(() => agent.close())

describe('an agent whose protocol has a name of its own', () => {
  test('lists the tasks with a name in it under both, and answers both', async () => {
    await start()
    const tools = await listTools()
    expect(tools).toEqual(expect.arrayContaining([configured, published]))
    expect(new Set(tools).size).toBe(tools.length)
    const card = (await agent.app.inject('/sales/.well-known/agent-card.json')).json()
    expect(card.skills.map(({ id }: { id: string }) => id)).toEqual(tools)
    const { tenants } = (await agent.app.inject('/.well-known/adagents.json')).json()
    expect(tenants[0].tools).toEqual(tools)
    const byOwn = await agent.call('sales', configured)
    expect(byOwn.payload).toMatchObject({
      proto: { major_versions: [3] },
      adcp: { major_versions: [3] },
      proto_version: '3.0',
      adcp_version: '3.0',
      webhook_signing: { profile: 'proto/webhook-signing/v1' },
    })
    const { webhook_signing } = await agent.succeed('sales', published)
    expect(webhook_signing.profile).toBe('adcp/webhook-signing/v1')
  })

  test('reads the version by both names, and tells a failure under both', async () => {
    await start()
    for (const field of ['proto_version', 'adcp_version']) {
      const { payload } = await agent.call('sales', 'list_accounts', { [field]: '9.0' })
      const described = { code: 'VERSION_UNSUPPORTED', field }
      expect([field, payload]).toMatchObject([field, { adcp_error: described }])
      expect(payload.proto_error ?? payload.adcp_error).toEqual(payload.adcp_error)
    }
    const { payload } = await agent.call('sales', 'list_accounts', { account: 1, context: 1 })
    expect(payload.proto_error).toEqual(payload.adcp_error)
    expect(payload.adcp_error.field).toBe('context')
  })

  test('takes the credential in the header of either name', async () => {
    await start()
    for (const name of ['proto', 'adcp']) {
      const call = (token: string) =>
        agent.post(
          'sales',
          { method: 'tools/list' },
          { authorization: '', [`x-${name}-auth`]: token },
        )
      expect((await call(TOKEN)).statusCode).toBe(200)
      const refused = await call('another')
      expect(refused.statusCode).toBe(401)
      const { data } = refused.json().error
      expect([data.proto_error.code, data.adcp_error.code]).toEqual([
        'UNAUTHORIZED',
        'UNAUTHORIZED',
      ])
    }
  })

  test('wants a signature under both names of a task that must be signed', async () => {
    for (const signed of [configured, published]) {
      await start({ AGENT_SIGNED_TASKS: signed })
      for (const name of [configured, published]) {
        const answer = await agent.post('sales', { method: 'tools/call', params: { name } })
        expect([signed, name, answer.statusCode]).toEqual([signed, name, 401])
      }
      await agent.close()
    }
    await start({ AGENT_SIGNED_TASKS: 'create_media_buy' })
    const { request_signing } = await agent.succeed('sales', published)
    expect(request_signing.required_for).toEqual(['create_media_buy'])
  })

  test('signs a webhook by the name that its subscriber says', async () => {
    await start()
    const tags: string[] = []
    const { url } = await startOrigin((request, response) => {
      tags.push(/tag="([^"]+)"/.exec(String(request.headers['signature-input']))?.[1] ?? '')
      response.end()
    })
    const sender = new WebhookSender({
      state: agent.state,
      clock,
      log: silentLog,
      fetcher: createFetcherTo(url),
      protocolName: 'proto',
    })
    const push_notification_config = { url: 'https://buyer.example/hook' }
    for (const spoken of [{}, { proto_version: '3.0' }, { adcp_major_version: 3 }]) {
      const idempotency_key = `key-of-a-webhook-${Object.keys(spoken)}`
      const request = { ...order, ...spoken, idempotency_key, push_notification_config }
      expect(await agent.call('sales', 'create_media_buy', request)).toMatchObject({
        isError: false,
      })
      await sender.sendDue()
    }
    expect(tags).toEqual(['proto', 'proto', 'adcp'].map(name => `${name}/webhook-signing/v1`))
  })
})

test('an agent that is called by the public name has each task and field once', async () => {
  await start({ PROTOCOL_NAME: 'adcp' })
  const tools = await listTools()
  expect(tools.filter(name => name.endsWith('_capabilities'))).toEqual([published])
  const payload = await agent.succeed('sales', published)
  expect(Object.keys(payload).filter(key => key.includes('proto_') || key === 'proto')).toEqual([])
  expect(await agent.fail('sales', configured)).toEqual({ code: 'INVALID_REQUEST' })
})
