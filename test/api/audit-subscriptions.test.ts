import { beforeAll, expect, test } from 'vitest'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import { findLostRight } from '../../pipeline/accounts/lost-rights.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openCrawledReceivers } from '../support/servers/crawled-receivers.ts'
import { createCrawlerWith, openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const PATH = '/api/registry/subscriptions'
const AUDIT = '/api/me/organization/audit'
const issuer = openForAll(openIssuer)
const receivers = openForAll(openCrawledReceivers)
/** Reads the keys of the issuer; receivers are asked by the crawler. */
const issuing = openForAll(async () =>
  createCrawlerWith(issuer.settings, { now: () => registry.clock.now() }),
)
const registry = openForAll(() =>
  openWithIssuer(issuer, { ...receivers.registry, writer: { requestLive } }),
)
const requestLive = ((request, ...more) => {
  const { writer } = receivers.registry
  return (request.kind === 'ask_receiver' ? writer : issuing).requestLive(request, ...more)
}) as WriterClient['requestLive']
let acme: string
let keys: Record<'plain' | 'reads', string>

beforeAll(async () => {
  const plain = await registry.createKey('Acme')
  await registry.createKey('Other')
  const people = [
    ['Acme', 'olga', 'owner'],
    ['Acme', 'adam', 'admin'],
    ['Acme', 'mia', 'member'],
    ['Acme', 'vic', 'viewer'],
    ['Other', 'otto', 'owner'],
  ] as const
  for (const [org, user_id, role] of people) {
    await registry.submit({ op: 'membership.set', org, user_id, role })
  }
  const { db } = registry.sequencer.accounts
  const query = "select org_id from organizations where name = 'Acme'"
  acme = db.oneOrThrow<{ org_id: string }>(query).org_id
  const made = await ask('olga', 'POST', '/api/me/api-keys', {
    name: 'SIEM',
    permissions: ['admin:read'],
  })
  keys = { plain, reads: made.json().value }
})

/** Requests as a person, or by a key of the organization. */
async function ask(
  who: string,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  const iat = registry.clock.now() / 1_000
  const secret =
    keys?.[who as 'plain'] ??
    (await issuer.token({ iat, exp: iat + 600, sub: who, email: `${who}@acme.example` }))
  const headers = { authorization: `Bearer ${secret}` }
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}

const subscribe = (who: string, host: string, more: object = {}) =>
  ask(who, 'POST', `${PATH}?org=${acme}`, {
    url: receivers.add(host).url,
    kind: 'audit',
    ...more,
  })

test.each([
  ['olga', 201],
  ['adam', 201],
  ['reads', 201],
  ['mia', 403],
  ['vic', 403],
  ['plain', 403],
  ['otto', 403],
])('%s, who would have the audit posted, gets %d', async (who, status) => {
  const host = `${who}.example`
  const answer = await subscribe(who, host)
  expect(answer.statusCode, answer.body).toBe(status)
  expect(receivers.hosts.get(host)!.statuses).toHaveLength(status === 201 ? 1 : 0)
})

test('the audit names the subscription, and deliveries begin with it', async () => {
  const made = (await subscribe('olga', 'named.example')).json()
  expect(made).toMatchObject({ kind: 'audit', status: 'active', event_types: [] })
  expect(made.signing_secret).toMatch(/^whsec_/)
  expect(made).not.toHaveProperty('granted_by')
  const { changes } = (await ask('olga', 'GET', `${AUDIT}?limit=1`)).json()
  expect(changes).toMatchObject([
    {
      operation: 'subscription.create',
      text: 'Created a webhook for the audit log',
      facts: { kind: 'audit' },
    },
  ])
  const { next_cursor } = (await ask('olga', 'GET', `${AUDIT}?limit=2`)).json()
  expect(made.cursor).toBe(next_cursor)
})

test.each([
  [400, { event_types: ['publisher.*'] }],
  [400, { domains: ['acme.example'] }],
  [400, { cursor: 'x' }],
  [400, { cursor: '01939f00-0000-7000-8000-000000000001' }],
  [410, { cursor: '999999999999.01939f00-0000-7000-8000-000000000001' }],
  [400, { kind: 'changes', cursor: '000000000001.01939f00-0000-7000-8000-000000000001' }],
])('%d: %j is refused before the receiver is contacted', async (status, more) => {
  const answer = await subscribe('olga', 'unasked.example', more)
  expect(answer.statusCode, answer.body).toBe(status)
  expect(receivers.hosts.get('unasked.example')!.statuses).toEqual([])
})

test('only those who may have the audit posted test, change, resume and delete its subscription', async () => {
  const { subscription_id: id } = (await subscribe('adam', 'kept.example')).json()
  const change = (who: string, method: 'POST' | 'PATCH' | 'DELETE', action = '', body?: object) =>
    ask(who, method, `${PATH}/${id}${action}?org=${acme}`, body)
  const filters = { domains: ['acme.example'] }
  for (const who of ['mia', 'vic', 'plain', 'otto']) {
    expect((await change(who, 'POST', '/test')).statusCode).toBe(403)
    expect((await change(who, 'POST', '/resume')).statusCode).toBe(403)
    expect((await change(who, 'PATCH', '', filters)).statusCode).toBe(403)
    expect((await change(who, 'DELETE')).statusCode).toBe(403)
  }
  expect((await change('olga', 'PATCH', '', filters)).json()).toMatchObject({
    code: 'invalid_request',
    error: 'The audit log has no `event_types`, `domains` or `agents`.',
  })
  await registry.submit({ op: 'subscription.disable', subscription_id: id, reason: 'it ended' })
  const resumed = await change('olga', 'POST', '/resume')
  expect(resumed.json()).toMatchObject({ kind: 'audit', status: 'active' })
  const { db } = registry.sequencer.accounts
  const query = 'select granted_by from audit_subscriptions where subscription_id = $id'
  expect(db.all(query, { id })).toEqual([{ granted_by: 'olga' }])
  expect((await change('olga', 'DELETE')).statusCode).toBe(204)
  expect(db.all(query, { id })).toEqual([])
})

test.each([
  ['mia', 'forbidden'],
  ['adam', undefined],
])('what waits for the writer is judged again: that of %s', (id, error) => {
  const operation = {
    op: 'subscription.create' as const,
    subscription_id: crypto.randomUUID(),
    org_id: acme,
    url: 'https://late.example/x',
    kind: 'audit' as const,
    event_types: [],
    domains: [],
    agents: [],
    cursor: '000000000000.00000000-0000-0000-0000-000000000000',
    created_by: id,
    most: 20,
  }
  const by = { kind: 'user' as const, id, org_id: acme }
  const submission = { submission_id: crypto.randomUUID(), operation, by }
  const { db } = registry.sequencer.accounts
  expect(findLostRight(db, submission)?.error).toBe(error)
})
