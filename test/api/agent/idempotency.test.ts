import { createHash } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { open } from 'lmdb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashRequest, writeCanonicalJson } from '../../../api/agent/state/idempotency.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { type ReferenceAgent, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const key = '7d0c9a52-3d9e-4f0a-8b1e-0b0f6c2f9c11'
const order = {
  idempotency_key: key,
  account,
  brand: account.brand,
  start_time: '2026-11-21T00:00:00Z',
  end_time: '2026-12-01T00:00:00Z',
  packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 100 }],
}

let folder: ReturnType<typeof makeTemporaryFolder>
let agent: ReferenceAgent
let clock: TestClock

beforeEach(async () => {
  folder = makeTemporaryFolder()
  clock = testClock('2026-11-20T00:00Z')
  agent = await startReferenceAgent(clock, folder.path)
})

afterEach(async () => {
  await agent.close()
  folder.remove()
})

const create = (more: object = {}) =>
  agent.succeed('sales', 'create_media_buy', { ...order, ...more })
const refuse = (more: object) => agent.fail('sales', 'create_media_buy', { ...order, ...more })
/** Computes where the claim of this test's key is kept. */
const findClaimId = () =>
  createHash('sha256').update(['sales', 'public', key].join('\u001f')).digest('hex')
const statuses = { status_filter: ['pending_creatives', 'pending_start', 'active'] }
const countBuys = async () =>
  (await agent.succeed('sales', 'get_media_buys', statuses)).media_buys.length

test('a repeated request gets the first answer and is carried out once', async () => {
  const first = await create({ context: { attempt: 1 } })
  expect(first.replayed).toBeUndefined()
  const again = await create({ context: { attempt: 2 } })
  expect(again).toEqual({ ...first, replayed: true, context: { attempt: 2 } })
  expect(await create()).not.toHaveProperty('context')
  expect(await countBuys()).toBe(1)
})

test('a request that is still running is not carried out again, and the error says when to retry', async () => {
  const all = await Promise.all(
    Array.from({ length: 20 }, () => agent.call('sales', 'create_media_buy', order)),
  )
  const done = all.filter(({ isError }) => !isError)
  expect(new Set(done.map(({ payload }) => payload.media_buy_id)).size).toBe(1)
  const others = all.filter(({ isError }) => isError).map(({ payload }) => payload)
  expect(others.length).toBeGreaterThan(0)
  for (const payload of others) {
    expect(payload).toMatchObject({
      code: 'IDEMPOTENCY_IN_FLIGHT',
      adcp_error: { recovery: 'transient', retry_after: 1 },
    })
  }
  expect(await create()).toMatchObject({ replayed: true })
  expect(await countBuys()).toBe(1)
})

test('a claim of a process that has ended, or takes too long, is void', async () => {
  const first = await create()
  const [claim] = agent.state.list('claim', '')
  const { worker: _worker, ...finished } = claim!
  const id = findClaimId()
  const leave = (pid: number) =>
    agent.state.transact(clock.now(), () =>
      agent.state.put(
        'claim',
        '',
        id,
        { ...finished, worker: { pid, id: 'x' } },
        {
          now: clock.now(),
        },
      ),
    )
  leave(process.pid)
  expect((await refuse({})).code).toBe('IDEMPOTENCY_IN_FLIGHT')
  clock.tick({ minutes: 3 })
  expect((await create()).media_buy_id).not.toBe(first.media_buy_id)
  leave(2 ** 22 + 1)
  expect(await create()).not.toHaveProperty('replayed')
})

test('a different request with the same key is refused and learns nothing', async () => {
  await create()
  const { isError, payload } = await agent.call('sales', 'create_media_buy', {
    ...order,
    packages: [{ ...order.packages[0], budget: 101 }],
  })
  expect(isError).toBe(true)
  expect(Object.keys(payload.adcp_error)).toEqual(['code', 'message'])
  expect(payload.code).toBe('IDEMPOTENCY_CONFLICT')
  expect(JSON.stringify(payload)).not.toMatch(/mb_|100|hash/)
  expect((await refuse({ account: { ...account, operator: 'x.example' } })).code).toBe(
    'IDEMPOTENCY_CONFLICT',
  )
  const other = { idempotency_key: key, account, catalogs: [{ catalog_id: 'c', type: 'product' }] }
  expect((await agent.fail('sales', 'sync_catalogs', other)).code).toBe('IDEMPOTENCY_CONFLICT')
})

test('a key counts for one agent only', async () => {
  await create()
  const args = { idempotency_key: key, accounts: [{ ...account, billing: 'agent' }] }
  expect(await agent.succeed('creative', 'sync_accounts', args)).not.toHaveProperty('replayed')
})

test('a failed request does not use up its key', async () => {
  expect((await refuse({ end_time: '2026-11-20T12:00:00Z' })).code).toBe('INVALID_REQUEST')
  expect((await refuse({ packages: [{ ...order.packages[0], product_id: 'x' }] })).code).toBe(
    'PRODUCT_NOT_FOUND',
  )
  expect(await countBuys()).toBe(0)
  expect(await create()).not.toHaveProperty('replayed')
})

test('a key is required and has a fixed format', async () => {
  for (const idempotency_key of [undefined, 'short', 'x'.repeat(256), 'with space in the key', 7]) {
    expect(await refuse({ idempotency_key, packages: 'wrong too' })).toEqual({
      code: 'INVALID_REQUEST',
      field: 'idempotency_key',
    })
  }
})

test('a key beyond its window is refused as expired, and its request is not repeated', async () => {
  const { adcp } = await agent.succeed('sales', 'get_adcp_capabilities')
  const { supported, replay_ttl_seconds } = adcp.idempotency
  expect(supported).toBe(true)
  await create()
  clock.tick({ ms: replay_ttl_seconds * 1000 })
  expect(await create()).toMatchObject({ replayed: true })
  clock.tick({ minutes: 2 })
  expect((await refuse({})).code).toBe('IDEMPOTENCY_EXPIRED')
  clock.tick({ days: 7 })
  expect((await refuse({})).code).toBe('IDEMPOTENCY_EXPIRED')
})

test('a record without a flight is deleted a day after its last use', async () => {
  await agent.succeed('sales', 'sync_accounts', {
    idempotency_key: 'a-key-for-an-account',
    accounts: [{ ...account, billing: 'agent' }],
  })
  const listBrands = async () =>
    (await agent.succeed('sales', 'list_accounts')).accounts.map(
      ({ brand }: { brand: { domain: string } }) => brand.domain,
    )
  expect(await listBrands()).toEqual([account.brand.domain])
  clock.tick({ hours: 25 })
  await agent.call('sales', 'sync_governance', {
    idempotency_key: 'another-key-for-now',
    accounts: [{ account: { account_id: 'x' }, governance_agents: [] }],
  })
  expect(await listBrands()).not.toContain(account.brand.domain)
})

test('a sandbox of another version starts empty', async () => {
  await create()
  await agent.close()
  const root = open({ path: join(folder.path, 'state.mdb'), maxDbs: 4, encoding: 'json' })
  await root.put('format', 1)
  await root.close()
  agent = await startReferenceAgent(clock, folder.path)
  expect(await create()).not.toHaveProperty('replayed')
})

test('an agent remembers its keys across restarts', async () => {
  const first = await create()
  await agent.close()
  agent = await startReferenceAgent(clock, folder.path)
  expect(await create()).toEqual({ ...first, replayed: true })
})

test('records that were not used for a month are deleted', async () => {
  await create()
  clock.tick({ days: 60 })
  await create({ idempotency_key: 'another-key-for-now', end_time: '2027-12-01T00:00:00Z' })
  expect((await create({ end_time: '2027-12-01T00:00:00Z' })).replayed).toBeUndefined()
})

test('requests are equal whatever the spelling of their JSON', () => {
  const hash = (args: Record<string, unknown>) => hashRequest('create_media_buy', args)
  const whole = { b: 1, a: [{ d: 'é', c: null }], idempotency_key: 'x' }
  expect(hash(whole)).toBe(hash({ a: [{ c: null, d: 'é' }], b: 1.0, idempotency_key: 'y' }))
  expect(hash({ ...whole, context: { trace: 1 }, governance_context: 'jws' })).toBe(hash(whole))
  expect(hash({ ...whole, context: 'text' })).not.toBe(hash(whole))
  const push = (url: string, credentials: string) => ({
    push_notification_config: { url, authentication: { schemes: ['Bearer'], credentials } },
  })
  expect(hash(push('https://a.example', 'one'))).toBe(hash(push('https://a.example', 'two')))
  expect(hash(push('https://a.example', 'one'))).not.toBe(hash(push('https://b.example', 'one')))
  expect(hashRequest('update_media_buy', whole)).not.toBe(hash(whole))
})

test('canonical JSON keeps the value and orders its members', () => {
  // The example of RFC 8785, 3.2.3.
  const args = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
  expect(Object.values(JSON.parse(writeCanonicalJson(args)))).toHaveLength(7)
  expect(writeCanonicalJson(args)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(JSON.parse(writeCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
