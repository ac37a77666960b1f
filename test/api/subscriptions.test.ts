import { beforeAll, expect, test } from 'vitest'
import { PushState } from '../../pipeline/push/state.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openCrawledReceivers } from '../support/servers/crawled-receivers.ts'

const path = '/api/registry/subscriptions'
const receivers = openForAll(openCrawledReceivers)
const limits = { subscriptionsPerOrganization: 6 }
const registry = openForAll(() => openRegistry({ ...receivers.registry, limits }))
let acme: string

beforeAll(async () => {
  acme = await registry.createKey('Acme')
})

test('a filter under another name is refused, since all events would be posted', async () => {
  const url = 'https://acme.example/changes'
  const renamed = await ask('POST', path, { url, types: ['authorization.*'] })
  expect([renamed.statusCode, renamed.json().error]).toEqual([
    400,
    'The body has unknown fields: types. Did you mean `event_types`?',
  ])
  const misspelled = await ask('POST', path, { url, domain: ['acme.example'] })
  expect(misspelled.json().error).toBe('Unknown field `domain`. Did you mean `domains`?')
})

function ask(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
  secret = acme,
) {
  const headers = { authorization: `Bearer ${secret}` }
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}

async function subscribe(host: string, more: object = {}) {
  const receiver = receivers.add(host)
  const answer = await ask('POST', path, { url: receiver.url, ...more })
  expect(answer.statusCode, answer.body).toBe(201)
  return { receiver, made: answer.json() }
}

test('201: a receiver that repeats the signed challenge is subscribed, from the next change on', async () => {
  await registry.observe(observeBrandFile('a.example', 'A'))
  const { receiver, made } = await subscribe('first.example', {
    event_types: ['publisher.*'],
    domains: ['https://Acme.example/'],
    agents: ['https://Seller.example/mcp/'],
  })
  expect(made).toMatchObject({
    url: receiver.url,
    event_types: ['publisher.*'],
    domains: ['acme.example'],
    agents: ['https://seller.example/mcp'],
    status: 'active',
    failures: 0,
    disabled_reason: null,
  })
  expect(receiver.statuses).toEqual([200])
  expect(receiver.webhooks).toEqual([])
  // Who may only read is not told the secret.
  const { signing_secret, ...shown } = made
  expect(signing_secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect((await ask('GET', `${path}/${made.subscription_id}`)).json()).toEqual(shown)
  expect((await ask('GET', path)).json().subscriptions).toContainEqual(shown)
  const { cursor, has_more } = (await ask('GET', '/api/registry/feed?limit=10000')).json()
  expect([made.cursor, has_more]).toEqual([cursor, false])
})

test('422: a receiver that declines, does not answer, or answers something else', async () => {
  const unwilling = receivers.add('unwilling.example', { accepts: false })
  const failing = receivers.add('failing.example')
  failing.fails = 200
  for (const [url, why] of [
    [unwilling.url, 'returned 403'],
    ['https://nobody.example/x', 'returned 404'],
    [failing.url, 'its response does not contain it'],
  ]) {
    const answer = await ask('POST', path, { url })
    expect(answer.statusCode).toBe(422)
    expect(answer.json()).toMatchObject({ code: 'receiver_unconfirmed' })
    expect(answer.json().error).toContain(why)
  }
  const urls = (await ask('GET', path)).json().subscriptions.map(({ url }: { url: string }) => url)
  expect(urls).not.toContain(unwilling.url)
})

test.each([
  ['http://plain.example/x', {}],
  ['https://user:secret@creds.example/x', {}],
  ['https://127.0.0.1/x', {}],
  ['https://[::1]/x', {}],
  ['https://metadata.internal/x', {}],
  ['https://a.example/x#y', {}],
  ['https://a.example/x', { event_types: ['nothing.*'] }],
  ['https://a.example/x', { domains: ['no domain'] }],
  ['https://a.example/x', { agents: ['mailto:x'] }],
  ['https://a.example/x', { cursor: 'x' }],
])('400: %s with %j is refused before the receiver is contacted', async (url, more) => {
  expect((await ask('POST', path, { url, ...more })).statusCode).toBe(400)
})

test.each([
  '01939f00-0000-7000-8000-00000000abcd',
  // The form of a position, in the future.
  'ffffff00-0000-7000-8000-000000000000',
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
])('410: %s, a cursor that the feed does not have', async cursor => {
  const { url } = receivers.add('expired.example')
  expect((await ask('POST', path, { url, cursor })).statusCode).toBe(410)
})

test('409: an address twice, and more subscriptions than an organization may have', async () => {
  const secret = await registry.createKey('Many')
  const { url } = receivers.add('many.example')
  const at = (n: number) => ({ url: `${url}?n=${n}` })
  for (let n = 0; n < 6; n++) {
    expect((await ask('POST', path, at(n), secret)).statusCode).toBe(201)
    expect((await ask('POST', path, at(n), secret)).statusCode).toBe(409)
  }
  const refused = await ask('POST', path, at(6), secret)
  expect(refused.json()).toMatchObject({ code: 'conflict' })
  expect(refused.json().error).toContain('6 subscriptions')
})

test('an Idempotency-Key subscribes once, and does not show the secret again', async () => {
  const receiver = receivers.add('once.example')
  const headers = { authorization: `Bearer ${acme}`, 'idempotency-key': 'subscribe-once' }
  const post = (url: string) =>
    registry.app.inject({ method: 'POST', url: path, headers, payload: { url } })
  const [first, again] = [await post(receiver.url), await post(receiver.url)]
  expect([first.statusCode, again.statusCode]).toEqual([201, 409])
  const { subscription_id, signing_secret } = first.json()
  expect(again.json().error).toContain(`/api/registry/subscriptions/${subscription_id}/resume`)
  expect(again.body).not.toContain(signing_secret)
  expect(receiver.statuses).toHaveLength(1)
  expect((await post(`${receiver.url}?other`)).statusCode).toBe(409)
})

test('429: an organization may have receivers contacted sixty times an hour, whatever they answer', async () => {
  const registry = await openRegistry({
    ...receivers.registry,
    limits: { receiverQuestionsPerHour: 1 },
  })
  const headers = { authorization: `Bearer ${await registry.createKey('Hasty')}` }
  const post = () =>
    registry.send('POST', path, { headers, payload: { url: 'https://nobody.example/x' } })
  expect((await post()).statusCode).toBe(422)
  const refused = await post()
  expect(refused.statusCode).toBe(429)
  expect(refused.json().retry_after).toBeGreaterThan(0)
  await registry.close()
})

test('a test is posted with a signature, and the answer says what the receiver replied', async () => {
  const { receiver, made } = await subscribe('tested.example')
  const url = `${path}/${made.subscription_id}/test`
  const taken = (await ask('POST', url)).json()
  expect(taken).toEqual({
    delivered: true,
    status: 200,
    error: null,
    duration_ms: expect.any(Number),
  })
  expect(receiver.webhooks).toEqual([])
  receiver.fails = 500
  const failed = (await ask('POST', url)).json()
  expect(failed).toMatchObject({ delivered: false, status: 500, error: 'returned 500' })
})

test('the log shows attempts, and the subscription how far deliveries are', async () => {
  const { made } = await subscribe('logged.example')
  const id = made.subscription_id
  expect((await ask('GET', `${path}/${id}/deliveries`)).json()).toEqual({
    subscription_id: id,
    deliveries: [],
  })
  const state = PushState.open(registry.reader.paths.pushState)
  const attempt = {
    delivery_id: '01939f00-0000-8000-8000-00000000abcd',
    attempt: 1,
    attempted_at: '2026-11-20T03:00:00.000Z',
    duration_ms: 12,
    delivered: false,
    status: 500,
    error: 'returned 500',
    events: 3,
    cursor: made.cursor,
  }
  for (let n = 0; n < 150; n++) state.keepAttempt(id, n, { ...attempt, events: n })
  await state.keepProgress(id, {
    cursor: made.cursor,
    pending: null,
    failures: 2,
    failing_since: '2026-11-20T03:00:00.000Z',
    next_attempt_at: '2026-11-20T03:00:10.000Z',
    delivered_at: null,
    attempts: 150,
  })
  await state.flush()
  const { deliveries } = (await ask('GET', `${path}/${id}/deliveries?limit=100`)).json()
  expect(deliveries.map(({ events }: { events: number }) => events)).toEqual(
    Array.from({ length: 100 }, (_, n) => 149 - n),
  )
  expect(deliveries[0]).toEqual({ ...attempt, events: 149 })
  expect((await ask('GET', `${path}/${id}`)).json()).toMatchObject({
    status: 'failing',
    failures: 2,
    next_attempt_at: '2026-11-20T03:00:10.000Z',
  })
  await state.close()
})

test('a change replaces the filters that it names, without a challenge', async () => {
  const { receiver, made } = await subscribe('changed.example', {
    event_types: ['publisher.*'],
    domains: ['acme.example'],
  })
  const { signing_secret: _, ...shown } = made
  const url = `${path}/${made.subscription_id}`
  const change = (filters: object) => ask('PATCH', url, filters)
  const agents = ['https://seller.example/mcp']
  const changed = await change({ domains: [], agents: ['https://Seller.example/mcp/', ...agents] })
  expect([changed.statusCode, changed.json()]).toEqual([200, { ...shown, domains: [], agents }])
  expect((await change({ event_types: [] })).json()).toEqual({
    ...shown,
    event_types: [],
    domains: [],
    agents,
  })
  expect((await ask('GET', url)).json()).toMatchObject({ event_types: [], agents })
  expect(receiver.statuses).toEqual([200])
})

test.each([
  [{}, 'must have at least one of `event_types`, `domains` and `agents`'],
  [{ types: ['agent.*'] }, 'Did you mean `event_types`?'],
  [{ url: 'https://other.example/x' }, 'url'],
  [{ event_types: ['nothing.*'] }, 'does not match any event type'],
  [{ domains: ['no domain'] }, 'must be a domain name'],
  [{ agents: ['mailto:x'] }, 'agents'],
  [{ domains: Array(101).fill('acme.example') }, 'domains'],
])('400: a change to %j is refused, and changes nothing', async (filters, why) => {
  const [subscription] = (await ask('GET', path)).json().subscriptions
  const url = `${path}/${subscription.subscription_id}`
  const refused = await ask('PATCH', url, filters)
  expect([refused.statusCode, refused.json().error]).toEqual([400, expect.stringContaining(why)])
  expect((await ask('GET', url)).json()).toEqual(subscription)
})

test('a disabled subscription says why, and a deleted one is gone', async () => {
  const { made } = await subscribe('ended.example')
  const id = made.subscription_id
  await registry.submit({ op: 'subscription.disable', subscription_id: id, reason: 'it is gone' })
  expect((await ask('GET', `${path}/${id}`)).json()).toMatchObject({
    status: 'disabled',
    disabled_reason: 'it is gone',
    disabled_at: expect.any(String),
  })
  expect((await ask('DELETE', `${path}/${id}`)).statusCode).toBe(204)
  expect((await ask('GET', `${path}/${id}`)).statusCode).toBe(404)
  expect((await ask('DELETE', `${path}/${id}`)).statusCode).toBe(404)
  await registry.submit({ op: 'subscription.disable', subscription_id: id, reason: 'late' })
  const rows = await registry.sequencer.accounts.db.all(
    `select url, created_by, disabled_reason from subscriptions where subscription_id = '${id}'`,
  )
  expect(rows).toEqual([{ url: null, created_by: null, disabled_reason: null }])
})

test('a disabled subscription resumes when its receiver answers a challenge again', async () => {
  const { made, receiver } = await subscribe('resumed.example')
  const resume = () => ask('POST', `${path}/${made.subscription_id}/resume`)
  expect((await resume()).json()).toEqual(made)
  const asked = receiver.statuses.length
  await registry.submit({
    op: 'subscription.disable',
    subscription_id: made.subscription_id,
    reason: 'it was late',
  })
  receiver.fails = 500
  expect((await resume()).statusCode).toBe(422)
  expect((await ask('GET', `${path}/${made.subscription_id}`)).json().status).toBe('disabled')
  receiver.fails = undefined
  const resumed = await resume()
  expect([resumed.statusCode, resumed.json()]).toEqual([200, made])
  expect(receiver.statuses).toHaveLength(asked + 2)
  await ask('DELETE', `${path}/${made.subscription_id}`)
  expect((await resume()).statusCode).toBe(404)
})

test('subscriptions are the same after the derived stores are rebuilt', async () => {
  const agents = ['https://seller.example/mcp']
  await registry.observe(observePublisherFile('b.example', { sites: ['b.example'], agents }))
  const before = (await ask('GET', path)).json()
  await registry.rebuild()
  expect((await ask('GET', path)).json()).toEqual(before)
  expect(await registry.verify()).toEqual([])
})

test('filters name an agent as events do, in whatever case it is sent', async () => {
  const agents = ['https://cased.example/mcp']
  await registry.observe(observePublisherFile('c.example', { sites: ['c.example'], agents }))
  const { made } = await subscribe('cased.example', { agents: ['https://cased.example/MCP'] })
  expect(made.agents).toEqual(agents)
  const url = `${path}/${made.subscription_id}`
  const changed = await ask('PATCH', url, { agents: ['https://cased.example/McP', ...agents] })
  expect(changed.json().agents).toEqual(agents)
  await ask('DELETE', url)
})

test('503: a registry without a key accepts no subscriptions', async () => {
  const registry = await openRegistry({ redis: receivers.registry.redis })
  const headers = { authorization: `Bearer ${await registry.createKey('Acme')}` }
  const payload = { url: 'https://a.example/x' }
  const answer = await registry.app.inject({ method: 'POST', url: path, headers, payload })
  expect(answer.statusCode).toBe(503)
  await registry.close()
})
