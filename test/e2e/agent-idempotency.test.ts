import { afterEach, beforeEach, expect, test } from 'vitest'
import { Command, findFreePort, makeTemporaryFolder } from '../support/processes/command.ts'

const TOKEN = 'a-test-credential'
const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }

let folder: ReturnType<typeof makeTemporaryFolder>
let running: Command[]

beforeEach(() => {
  folder = makeTemporaryFolder()
  running = []
})

afterEach(async () => {
  for (const command of running) command.child.kill('SIGKILL')
  await Promise.all(running.map(command => command.finish()))
  folder.remove()
})

/** Starts an agent over the folder of this test. */
async function start(
  limits: object = {},
): Promise<{ process: Command; call: Call; post: () => Promise<Response> }> {
  const port = await findFreePort()
  const process = new Command(['agent'], {
    DATA_DIR: folder.path,
    AGENT_PORT: String(port),
    TEST_AGENT_TOKEN: TOKEN,
    PROTOCOL_NAME: 'adcp',
    LIMITS: JSON.stringify(limits),
  })
  running.push(process)
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        answer => answer.status,
        () => 0,
      ),
    )
    .toBe(200)
  return {
    process,
    call: (name, args) => call(port, name, args),
    post: () => post(port, 'list_accounts', {}),
  }
}

type Call = (name: string, args: object) => Promise<Record<string, unknown>>

function post(port: number, name: string, args: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/sales/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  })
}

async function call(port: number, name: string, args: object): Promise<Record<string, unknown>> {
  const answer = await post(port, name, args)
  const { result } = (await answer.json()) as {
    result: { structuredContent: Record<string, unknown> }
  }
  return result.structuredContent
}

/** Calls again for as long as the request is under way. */
async function callUntilDone(call: Call, args: object): Promise<Record<string, unknown>> {
  const answer = await call('create_media_buy', args)
  return answer.code === 'IDEMPOTENCY_IN_FLIGHT' ? callUntilDone(call, args) : answer
}

const order = (key: number) => ({
  idempotency_key: `key-of-the-race-${key}`,
  account,
  brand: account.brand,
  start_time: 'asap',
  end_time: new Date(Date.now() + 864e5).toISOString(),
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 100 }],
})

test('two processes with one folder carry a request out once, whichever is asked', async () => {
  const [command, other] = await Promise.all([start(), start()])
  const asked = Array.from({ length: 30 }, (_, key) => order(key))
  const answers = await Promise.all(
    asked.map(args =>
      Promise.all([command, other, command, other].map(({ call }) => callUntilDone(call, args))),
    ),
  )
  for (const four of answers) {
    expect(new Set(four.map(({ media_buy_id }) => media_buy_id)).size).toBe(1)
    expect(four.filter(({ replayed }) => replayed === true)).toHaveLength(3)
  }
})

test('an agent that is killed meanwhile has stored both the request and its key, or neither', async () => {
  const first = await start()
  const asked = Array.from({ length: 60 }, (_, key) => order(key))
  const answered = new Map<number, unknown>()
  const calls = asked.map((args, key) =>
    first.call('create_media_buy', args).then(
      ({ media_buy_id }) => answered.set(key, media_buy_id),
      () => undefined,
    ),
  )
  await expect.poll(() => answered.size, { interval: 1 }).toBeGreaterThan(5)
  first.process.child.kill('SIGKILL')
  await Promise.all(calls)
  const second = await start()
  const again = await Promise.all(asked.map(args => callUntilDone(second.call, args)))
  for (const [key, id] of answered) {
    expect(again[key]).toMatchObject({ media_buy_id: id, replayed: true })
  }
  const { media_buys } = (await second.call('get_media_buys', {
    status_filter: ['pending_creatives'],
    pagination: { max_results: 100 },
  })) as { media_buys: { media_buy_id: string }[] }
  expect(media_buys).toHaveLength(asked.length)
  expect(new Set(media_buys.map(buy => buy.media_buy_id))).toEqual(
    new Set(again.map(answer => answer.media_buy_id)),
  )
})

test.each(['agentCallsPerMinute', 'agentCredentialCallsPerMinute'])(
  'two processes with one folder count %s together, also when one starts again',
  async limit => {
    const [command, other] = await Promise.all([start({ [limit]: 5 }), start({ [limit]: 5 })])
    const statuses = []
    for (const { post } of [command, other, command, other, command])
      statuses.push((await post()).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    other.process.child.kill('SIGKILL')
    const third = await start({ [limit]: 5 })
    for (const { post } of [command, third]) {
      const refused = await post()
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  },
)
