import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { NIL_UUID } from '../../../pipeline/core/uuid-v7.ts'
import { type Delivering, openDelivering } from '../../support/registry/deliveries.ts'
import type { TestReceiver } from '../../support/servers/webhook-receivers.ts'

const BEGIN = `000000000000.${NIL_UUID}`
const at = '2026-11-20T03:00:00.000Z'

/** Builds a request of an organization, as the record has it. */
function buildSubmission(label: string, fields: object = {}) {
  return {
    submission_id: randomUUID(),
    operation: 'key.create',
    by_kind: 'user',
    by_id: 'olga',
    org_id: 'acme',
    content: { label, hash: 'never shown' },
    answer: { done: {} },
    submitted_at: at,
    ...fields,
  }
}

const member = (role: string) => ({ user_id: 'olga', org_id: 'acme', role, joined_at: at })
const organizations = ['acme', 'other'].map(org_id => ({
  org_id,
  name: org_id,
  is_personal: false,
  marketing_opt_in: false,
  created_at: at,
}))

function commit(delivering: Delivering, ...labels: string[]): void {
  // One commit each, since those of one commit are in the order of their ids.
  for (const label of labels) delivering.commitRows({ submissions: [buildSubmission(label)] })
}

async function openAudit(limits = {}) {
  const delivering = await openDelivering(limits)
  delivering.commitRows({
    organizations,
    memberships: [member('admin')],
    people: [
      {
        user_id: 'olga',
        provider: 'email',
        subject: 'olga@acme.example',
        email: 'olga@acme.example',
        email_verified: true,
        created_at: at,
      },
    ],
  })
  const receiver = delivering.receivers.add('siem.example')
  const subscribe = () =>
    delivering.subscribe({
      url: receiver.url,
      kind: 'audit',
      granted_by: 'olga',
      cursor: BEGIN,
    })
  return { delivering, receiver, subscribe }
}

interface Posted {
  changes: { facts: { label?: string }; by: object }[]
  cursor: string
}
const results = ({ webhooks }: TestReceiver) =>
  webhooks.map(({ result }) => result as never as Posted)
const labels = (receiver: TestReceiver) =>
  results(receiver).flatMap(({ changes }) => changes.map(({ facts }) => facts.label))

test('the audit is posted in its order, signed, and only what the audit of the organization shows', async () => {
  const { delivering, receiver, subscribe } = await openAudit({ deliveryEvents: 3 })
  commit(delivering, 'one')
  delivering.commitRows({
    submissions: [
      buildSubmission('of others', { org_id: 'other' }),
      buildSubmission('refused', { answer: { refused: 'no' } }),
      ...[1, 2, 3, 4].map(() => buildSubmission('unlisted', { operation: 'crawl.request' })),
    ],
  })
  commit(delivering, 'two', 'three')
  const id = subscribe()
  await expect.poll(() => labels(receiver)).toEqual(['one', 'two', 'three'])
  commit(delivering, 'four')
  await expect.poll(() => labels(receiver)).toEqual(['one', 'two', 'three', 'four'])
  const [first] = receiver.webhooks
  expect(first).toMatchObject({ subscription_id: id, task_type: 'registry_audit', timestamp: at })
  expect(results(receiver)[0]!.changes[0]).toEqual({
    id: expect.any(String),
    at,
    operation: 'key.create',
    text: 'Created a key',
    by: { kind: 'user', id: 'olga', name: 'olga@acme.example' },
    facts: { label: 'one' },
  })
  await expect
    .poll(() => delivering.state.listAttempts(id, 1)[0])
    .toMatchObject({ events: 1, cursor: results(receiver).at(-1)!.cursor })
})

test('a delivery that failed is repeated under its id after a restart, and nothing is lost or overtaken', async () => {
  const { delivering, receiver, subscribe } = await openAudit({ deliveryEvents: 2 })
  const id = subscribe()
  commit(delivering, 'one')
  await expect.poll(() => labels(receiver)).toEqual(['one'])
  receiver.fails = 503
  commit(delivering, 'two')
  await expect.poll(() => delivering.state.findProgress(id)?.failures).toBe(1)
  const [failed] = delivering.state.listAttempts(id, 1)
  await delivering.restart()
  commit(delivering, 'three', 'four', 'five')
  receiver.fails = undefined
  delivering.clock.tick(5_000)
  await expect.poll(() => labels(receiver)).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(receiver.webhooks[1]!.idempotency_key).toBe(failed!.delivery_id)
  await delivering.restart()
  commit(delivering, 'six')
  await expect.poll(() => labels(receiver)).toHaveLength(6)
})

test('a delivery holds as many changes as fit into its size, and at least one', async () => {
  const { delivering, receiver, subscribe } = await openAudit({ deliveryBytes: 700 })
  commit(delivering, 'a'.repeat(300), 'b'.repeat(300), 'c', 'd')
  subscribe()
  await expect.poll(() => results(receiver).map(({ changes }) => changes.length)).toEqual([1, 1, 2])
})

test('a change of a commit that is not complete yet waits for the rest of it', async () => {
  const { delivering, receiver, subscribe } = await openAudit()
  subscribe()
  commit(delivering, 'one')
  await expect.poll(() => labels(receiver)).toEqual(['one'])
  const seq = 1_000
  delivering.commitRows({ submissions: [buildSubmission('ahead', { seq })] })
  commit(delivering, 'two')
  await expect.poll(() => labels(receiver)).toEqual(['one', 'two'])
})

test.each([
  ['a role that may not', "update memberships set role = 'member'"],
  ['a membership that ended', `update memberships set removed_at = '${at}'`],
])('with %s, nothing more is posted and the subscription is disabled', async (_, sql) => {
  const { delivering, receiver, subscribe } = await openAudit()
  const id = subscribe()
  commit(delivering, 'one')
  await expect.poll(() => labels(receiver)).toEqual(['one'])
  delivering.record.exec(sql)
  commit(delivering, 'two')
  await expect
    .poll(() => delivering.disabled.get(id))
    .toBe('whoever created or last resumed the subscription no longer has access to the audit log')
  expect(labels(receiver)).toEqual(['one'])
})

test('a key posts the audit of its own organization, with a permission and until it is revoked', async () => {
  const { delivering } = await openAudit()
  const key = (key_id: string, permissions: string[], org_id = 'acme') => ({
    key_id,
    org_id,
    label: key_id,
    permissions,
    hash: key_id,
    created_at: at,
  })
  delivering.commitRows({
    api_keys: [key('reads', ['admin:read']), key('plain', []), key('theirs', ['admin:*'], 'other')],
  })
  const posts = ['reads', 'plain', 'theirs'].map(granted_by => {
    const receiver = delivering.receivers.add(`${granted_by}.example`)
    const { url } = receiver
    const id = delivering.subscribe({ url, kind: 'audit', granted_by, cursor: BEGIN })
    return { receiver, id }
  })
  const [reads, plain, theirs] = posts
  commit(delivering, 'one')
  await expect.poll(() => labels(reads!.receiver)).toEqual(['one'])
  await expect.poll(() => [...delivering.disabled.keys()]).toEqual([plain!.id, theirs!.id])
  delivering.record.exec(`update api_keys set revoked_at = '${at}' where key_id = 'reads'`)
  commit(delivering, 'two')
  await expect.poll(() => delivering.disabled.has(reads!.id)).toBe(true)
  expect(posts.map(({ receiver }) => labels(receiver).length)).toEqual([1, 0, 0])
})
