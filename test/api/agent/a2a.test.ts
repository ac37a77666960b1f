import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AgentCard, Task } from '@a2a-js/sdk'
import { A2AClient } from '@a2a-js/sdk/client'
import { AgentClient } from '@adcp/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildAgentApp } from '../../../api/agent/app.ts'
import { AgentState } from '../../../api/agent/state/store.ts'
import { tenants } from '../../../api/agent/tenants.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { TOKEN } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const folder = makeTemporaryFolder()
const state = AgentState.open(join(folder.path, 'state.mdb'))
const config = readConfig({ PROTOCOL_NAME: 'adcp', TEST_AGENT_TOKEN: TOKEN })
const clock = testClock('2026-11-20T03:00Z')
const app = buildAgentApp({ config, clock, log: silentLog, state })
let origin: string

beforeAll(async () => {
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await app.close()
  await state.close()
  folder.remove()
})

const withCredential: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${TOKEN}`)
  return fetch(url, { ...init, headers })
}

function connect(tenant: string): Promise<A2AClient> {
  const card = `${origin}/${tenant}/.well-known/agent-card.json`
  return A2AClient.fromCardUrl(card, { fetchImpl: withCredential })
}

function toMessage(data: object) {
  const parts = [{ kind: 'data' as const, data: data as Record<string, unknown> }]
  return {
    message: { kind: 'message' as const, messageId: randomUUID(), role: 'user' as const, parts },
  }
}

async function ask(tenant: string, data: object): Promise<Task> {
  const client = await connect(tenant)
  const answer = await client.sendMessage(toMessage(data))
  if ('error' in answer) throw new Error(JSON.stringify(answer.error))
  return answer.result as Task
}

function readPayload({ artifacts }: Task) {
  const [part] = artifacts![0]!.parts
  return part!.kind === 'data' ? part!.data : undefined
}

test('a card lists the tasks of its tenant at each address where clients look for it', async () => {
  for (const { name, tasks } of tenants) {
    for (const base of [`/${name}`, `/${name}/a2a`]) {
      for (const file of ['agent-card.json', 'agent.json']) {
        const card = (await (
          await fetch(`${origin}${base}/.well-known/${file}`)
        ).json()) as AgentCard
        expect(card.url).toBe(`${origin}/${name}/a2a`)
        expect(card.skills.map(({ id }) => id)).toEqual(tasks.map(task => task.name('adcp')))
      }
    }
  }
  expect((await fetch(`${origin}/.well-known/agent-card.json`)).status).toBe(200)
})

test('a task gets the same answer over A2A as over MCP', async () => {
  const { status, artifacts, ...task } = await ask('sales', {
    skill: 'get_products',
    input: { brief: 'Cooking and recipes' },
  })
  expect(status.state).toBe('completed')
  const answer = await app.inject({
    method: 'POST',
    url: '/sales/mcp',
    headers: { authorization: `Bearer ${TOKEN}` },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_products', arguments: { brief: 'Cooking and recipes' } },
    },
  })
  expect(readPayload({ status, artifacts, ...task } as Task)).toEqual(
    answer.json().result.structuredContent,
  )
})

test('a failed task reports the same error', async () => {
  const task = await ask('sales', { skill: 'get_media_buys', input: { media_buy_ids: 7 } })
  expect(task.status.state).toBe('failed')
  expect(readPayload(task)).toMatchObject({ code: 'INVALID_REQUEST' })
})

test('the same request over both transports is carried out once', async () => {
  const message = {
    idempotency_key: randomUUID(),
    accounts: [
      {
        brand: { domain: 'lantern-holdings.example' },
        operator: 'agency.example',
        billing: 'operator',
      },
    ],
  }
  const first = readPayload(await ask('sales', { skill: 'sync_accounts', input: message }))
  const again = readPayload(await ask('sales', { skill: 'sync_accounts', parameters: message }))
  expect(again).toEqual({ ...first, replayed: true })
})

test('a task can be read later, also from another process', async () => {
  const { id, contextId } = await ask('brand', { skill: 'get_adcp_capabilities' })
  const client = await connect('brand')
  const found = await client.getTask({ id })
  expect(found).toMatchObject({ result: { id, contextId, status: { state: 'completed' } } })
  expect(await client.getTask({ id: randomUUID() })).toMatchObject({ error: { code: -32001 } })
  expect(await client.cancelTask({ id })).toMatchObject({ error: { code: -32002 } })
})

test('a stream holds the finished task', async () => {
  const client = await connect('signals')
  const events: unknown[] = []
  const input = { signal_spec: 'runners' }
  for await (const event of client.sendMessageStream(toMessage({ skill: 'get_signals', input }))) {
    events.push(event)
  }
  expect(events).toEqual([
    expect.objectContaining({
      kind: 'task',
      status: expect.objectContaining({ state: 'completed' }),
    }),
  ])
})

test.each([
  [[]],
  [[{ kind: 'text', text: 'get_products' }]],
  [[{ kind: 'data', data: null }]],
  [[{ kind: 'data', data: { skill: 7 } }]],
  [[{ kind: 'data', data: { skill: 'get_products', input: [] } }]],
  [[{ kind: 'data', data: { skill: '__proto__', input: {} } }]],
])('a message that names no task fails as a task: %j', async parts => {
  const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts }
  const answer = await post({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } })
  const task = answer.json().result as Task
  expect(task.status.state).toBe('failed')
  expect(readPayload(task)).toMatchObject({ code: 'INVALID_REQUEST' })
})

test.each([[null], [7], [{}], [{ messageId: 'm', parts: null }], [{ messageId: 'm', parts: [7] }]])(
  'a body that is not a message is refused: %j',
  async message => {
    const answer = await post({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message },
    })
    expect(answer.json()).toMatchObject({ id: 1, error: { code: -32602 } })
  },
)

test.each([[[]], [{}], [{ jsonrpc: '2.0', id: 1, method: 'message/forget' }], ['"text"']])(
  'a body that is not a request is refused: %j',
  async payload => {
    const answer = await post(payload)
    expect(answer.statusCode).toBeLessThan(500)
    expect(answer.json()).toHaveProperty('error')
  },
)

test('nothing is answered without a credential', async () => {
  const answer = await app.inject({ method: 'POST', url: '/sales/a2a', payload: {} })
  expect(answer.statusCode).toBe(401)
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer /)
})

function buildClient(protocol: 'a2a' | 'mcp'): AgentClient {
  const agent_uri = protocol === 'mcp' ? `${origin}/sales/mcp` : `${origin}/sales`
  return new AgentClient({ id: 'sales', name: 'Sales', agent_uri, protocol, auth_token: TOKEN }, {})
}

test('the public client works over A2A', async () => {
  const client = buildClient('a2a')
  const answer = await client.getProducts({ buying_mode: 'wholesale' } as never)
  expect([answer.success, answer.error]).toEqual([true, undefined])
  const { data } = answer
  expect((data as { products: unknown[] }).products.length).toBeGreaterThan(0)
})

test.each(['a2a', 'mcp'] as const)(
  'the public client reads when a submitted purchase is completed, over %s',
  async protocol => {
    const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
    await ask('sales', {
      skill: 'comply_test_controller',
      input: {
        scenario: 'force_create_media_buy_arm',
        params: { arm: 'submitted', task_id: `task_${protocol}` },
        account,
      },
    })
    const client = buildClient(protocol)
    const submitted = await client.createMediaBuy({
      idempotency_key: randomUUID(),
      account,
      brand: account.brand,
      start_time: '2026-11-21T00:00:00Z',
      end_time: '2026-12-01T00:00:00Z',
      packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
    } as never)
    expect(submitted.status).toBe('submitted')
    expect(await submitted.submitted!.track()).toMatchObject({ status: 'submitted' })
    clock.tick({ ms: 10_000 })
    const completed = await submitted.submitted!.waitForCompletion(10)
    expect(completed).toMatchObject({ status: 'completed', data: { status: 'pending_creatives' } })
  },
)

test('an answer that is submitted has the id of its task beside its data', async () => {
  const account = { brand: { domain: 'other.example' }, operator: 'agency.example' }
  const params = { arm: 'submitted', task_id: 'task_beside' }
  const input = { scenario: 'force_create_media_buy_arm', params, account }
  await ask('sales', { skill: 'comply_test_controller', input })
  const { status, artifacts } = await ask('sales', {
    skill: 'create_media_buy',
    input: {
      idempotency_key: randomUUID(),
      account,
      brand: account.brand,
      start_time: 'asap',
      end_time: '2026-12-01T00:00:00Z',
      packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1000 }],
    },
  })
  expect(status.state).toBe('completed')
  expect(artifacts).toMatchObject([{ metadata: { adcp_task_id: 'task_beside' } }])
})

function post(payload: unknown) {
  return app.inject({
    method: 'POST',
    url: '/sales/a2a',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
}
