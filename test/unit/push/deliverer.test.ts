import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../../pipeline/core/clock.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { openDelivering } from '../../support/registry/deliveries.ts'
import type { TestReceiver } from '../../support/servers/webhook-receivers.ts'

const ids = (events: readonly FeedEvent[]) => events.map(({ event_id }) => event_id)
const many = (count: number) => Array.from({ length: count }, () => ({}))
const about = (domain: string): Partial<FeedEvent> => ({
  event_type: 'publisher.adagents_changed',
  entity_type: 'publisher',
  entity_id: domain,
  payload: { publisher_domain: domain },
})

/** Waits until a receiver has all these events in this order, and no other ones. */
async function expectTaken(receiver: TestReceiver, events: readonly FeedEvent[]): Promise<void> {
  await expect.poll(() => receiver.listEvents().length).toBeGreaterThanOrEqual(events.length)
  expect(ids(receiver.listEvents())).toEqual(ids(events))
}

test('events arrive in their order, signed so that the receiver of this project takes them', async () => {
  const { receivers, subscribe, commit, state } = await openDelivering({ deliveryEvents: 10 })
  const receiver = receivers.add('receiver.example')
  const before = commit(...many(25))
  const id = subscribe({ url: receiver.url })
  await expectTaken(receiver, before)
  const later = commit(...many(3))
  await expectTaken(receiver, [...before, ...later])
  expect(receiver.statuses.every(status => status === 200)).toBe(true)
  expect(receiver.webhooks.map(({ subscription_id }) => subscription_id)).toContain(id)
  const cursor = later.at(-1)!.event_id
  expect((receiver.webhooks.at(-1)!.result as { cursor: string }).cursor).toBe(cursor)
  await expect.poll(() => state.findProgress(id)).toMatchObject({ cursor, failures: 0 })
  expect(state.listAttempts(id, 2)[0]).toMatchObject({ delivered: true, events: 3, status: 200 })
})

test('deliveries of profile 3.2 are taken by a receiver of that profile', async () => {
  const { receivers, subscribe, commit } = await openDelivering({}, '3.2')
  const receiver = receivers.add('receiver.example')
  subscribe({ url: receiver.url })
  await expectTaken(receiver, commit(...many(3)))
  expect(receiver.statuses.every(status => status === 200)).toBe(true)
})

test('a subscription gets only events of its types, domains or agents', async () => {
  const { receivers, subscribe, commit } = await openDelivering()
  const [types, domains, agents] = ['types', 'domains', 'agents'].map(name =>
    receivers.add(`${name}.example`),
  )
  subscribe({ url: types!.url, event_types: ['publisher.*'] })
  subscribe({ url: domains!.url, domains: ['acme.example', 'b.example'] })
  subscribe({ url: agents!.url, agents: ['https://seller.example/mcp'] })
  const [acme, other, seller, last] = commit(
    about('acme.example'),
    about('other.example'),
    {
      event_type: 'authorization.granted',
      entity_type: 'authorization',
      entity_id: 'x',
      payload: { agent_url: 'https://seller.example/mcp', publisher_domain: 'c.example' },
    },
    about('b.example'),
  )
  await expectTaken(types!, [acme!, other!, last!])
  await expectTaken(domains!, [acme!, last!])
  await expectTaken(agents!, [seller!])
})

test('once its filters are changed, a subscription gets the events that match the new ones, and none again', async () => {
  const { receivers, subscribe, change, commit } = await openDelivering()
  const receiver = receivers.add('receiver.example')
  const id = subscribe({ url: receiver.url, domains: ['acme.example'] })
  const taken: FeedEvent[] = []
  const all = () => commit(about('acme.example'), about('b.example'), {})
  const expectOnly = async (select: (events: FeedEvent[]) => FeedEvent[]) => {
    taken.push(...select(all()))
    await expectTaken(receiver, taken)
  }
  await expectOnly(([acme]) => [acme!])
  change(id, { domains: ['b.example'] })
  await expectOnly(([, b]) => [b!])
  change(id, { domains: [] })
  await expectOnly(events => events)
  change(id, { event_types: ['agent.*'] })
  await expectOnly(([, , agent]) => [agent!])
  change(id, { event_types: [] })
  await expectOnly(events => events)
})

test.each(['meanwhile', 'after a restart'])(
  'filters that are changed %s apply to everything after the cursor that the subscriber was shown',
  async when => {
    const delivering = await openDelivering({ deliveryEvents: 2 })
    const { receivers, subscribe, change, commit, clock } = delivering
    const receiver = receivers.add('receiver.example')
    const id = subscribe({ url: receiver.url, domains: ['kept.example'] })
    const [kept] = commit(about('kept.example'))
    await expectTaken(receiver, [kept!])
    const skipped = commit(...many(3), about('acme.example'), about('b.example'))
    // Another receiver has them, so the first one was offered them.
    const other = receivers.add('other.example')
    subscribe({ url: other.url })
    await expectTaken(other, [kept!, ...skipped])
    expect(delivering.state.findProgress(id)!.cursor).toBe(kept!.event_id)
    if (when === 'after a restart') await delivering.restart()
    change(id, { domains: ['acme.example'] })
    await expectTaken(receiver, [kept!, skipped[3]!])
    change(id, { domains: ['b.example'] })
    await expectTaken(receiver, [kept!, skipped[3]!, skipped[4]!])
    const cursor = commit({})[0]!.event_id
    await expect
      .poll(() => {
        clock.tick(MINUTE)
        return delivering.state.findProgress(id)
      })
      .toMatchObject({ cursor })
  },
)

test.each(['meanwhile', 'after a restart'])(
  'a delivery that failed before its filters were changed is repeated as it was %s; the next one follows the new filters',
  async when => {
    const delivering = await openDelivering({ deliveryEvents: 2 })
    const { receivers, subscribe, change, commit, clock } = delivering
    const receiver = receivers.add('receiver.example')
    receiver.fails = 500
    const id = subscribe({ url: receiver.url, event_types: ['publisher.*'] })
    const [agent, first, second] = commit({}, about('acme.example'), about('b.example'))
    await expect.poll(() => delivering.state.findProgress(id)?.failures).toBe(1)
    const failed = delivering.state.listAttempts(id, 1)[0]!
    change(id, { event_types: ['agent.*'] })
    if (when === 'after a restart') await delivering.restart()
    const [later] = commit({}, about('acme.example'))
    receiver.fails = undefined
    clock.tick(10_000)
    await expectTaken(receiver, [first!, second!, later!])
    expect(receiver.webhooks[0]!.idempotency_key).toBe(failed.delivery_id)
    expect(ids(receiver.listEvents())).not.toContain(agent!.event_id)
  },
)

test.each<[string, Record<string, string>]>([
  ['18 KB of headers', { 'content-security-policy': 'x'.repeat(18_000) }],
  ['100 KB of headers', { 'content-security-policy': 'x'.repeat(100_000) }],
  ['an unknown content coding', { 'content-encoding': 'aws-chunked' }],
])('a receiver that answers 200 with %s is delivered to once', async (_, headers) => {
  const { receivers, subscribe, commit, state, clock } = await openDelivering()
  const receiver = receivers.add('receiver.example')
  receiver.headers = headers
  const id = subscribe({ url: receiver.url })
  const events = commit(...many(2))
  await expectTaken(receiver, events)
  await expect.poll(() => state.findProgress(id)).toMatchObject({ pending: null, failures: 0 })
  clock.tick(HOUR)
  await expectTaken(receiver, [...events, ...commit({})])
  expect(receiver.statuses).toEqual([200, 200])
})

test('a delivery that fails is repeated under its id, and nothing overtakes it', async () => {
  const { receivers, subscribe, commit, clock, state } = await openDelivering({ deliveryEvents: 2 })
  const receiver = receivers.add('receiver.example')
  receiver.fails = 500
  const id = subscribe({ url: receiver.url })
  const first = commit(...many(2))
  await expect.poll(() => state.findProgress(id)).toMatchObject({ failures: 1 })
  const second = commit(...many(3))
  receiver.fails = undefined
  clock.tick(5_000)
  await expectTaken(receiver, [...first, ...second])
  const attempts = state.listAttempts(id, 10).reverse()
  expect(attempts.slice(0, 2)).toMatchObject([
    { delivered: false, status: 500, attempt: 1, error: 'returned 500' },
    { delivered: true, status: 200, attempt: 2, events: 2 },
  ])
  expect(attempts[1]!.delivery_id).toBe(attempts[0]!.delivery_id)
  expect(receiver.webhooks[0]!.idempotency_key).toBe(attempts[0]!.delivery_id)
})

test('after a restart deliveries continue where they stopped, also with one that had failed', async () => {
  const delivering = await openDelivering({ deliveryEvents: 4 })
  const { receivers, subscribe, commit, clock } = delivering
  const receiver = receivers.add('receiver.example')
  const id = subscribe({ url: receiver.url })
  const first = commit(...many(6))
  await expectTaken(receiver, first)
  receiver.fails = 503
  const second = commit(...many(2))
  await expect.poll(() => delivering.state.findProgress(id)?.failures).toBe(1)
  const failed = delivering.state.listAttempts(id, 1)[0]!
  await delivering.restart()
  const third = commit(...many(5))
  receiver.fails = undefined
  clock.tick(10_000)
  await expectTaken(receiver, [...first, ...second, ...third])
  const keys = receiver.webhooks.map(({ idempotency_key }) => idempotency_key)
  expect(keys).toContain(failed.delivery_id)
})

test.each(['meanwhile', 'after a restart'])(
  'a subscription that was resumed %s goes on after its cursor, and may fail for days again',
  async when => {
    const delivering = await openDelivering()
    const { receivers, subscribe, commit, clock, disabled, resume } = delivering
    const receiver = receivers.add('failing.example')
    receiver.fails = 500
    const id = subscribe({ url: receiver.url })
    const events = commit({}, {})
    await expect.poll(() => delivering.state.findProgress(id)?.failures).toBe(1)
    clock.tick(73 * HOUR)
    await expect.poll(() => disabled.has(id)).toBe(true)
    if (when === 'after a restart') await delivering.restart()
    // The deliverer has seen the end once another receiver, which came later, is served.
    const well = receivers.add('well.example')
    subscribe({ url: well.url })
    await expect.poll(() => well.webhooks.length).toBeGreaterThan(0)
    const failed = receiver.statuses.length
    resume(id)
    await expect.poll(() => receiver.statuses.length).toBeGreaterThan(failed)
    await expect.poll(() => delivering.state.findProgress(id)?.failures).toBe(1)
    expect(disabled.has(id)).toBe(false)
    receiver.fails = undefined
    clock.tick(10_000)
    await expectTaken(receiver, events)
  },
)

test('a receiver that fails for three days, and one that is gone, are disabled with the reason', async () => {
  const { receivers, subscribe, commit, clock, disabled, state } = await openDelivering()
  const failing = receivers.add('failing.example')
  const gone = receivers.add('gone.example')
  failing.fails = 500
  gone.fails = 410
  const [failingId, goneId] = [failing, gone].map(({ url }) => subscribe({ url }))
  commit({})
  await expect.poll(() => disabled.get(goneId!)).toBe('the receiver returned 410')
  await expect.poll(() => state.findProgress(failingId!)?.failures).toBe(1)
  clock.tick(71 * HOUR)
  await expect.poll(() => state.findProgress(failingId!)?.failures).toBe(2)
  expect(disabled.has(failingId!)).toBe(false)
  clock.tick(2 * HOUR)
  await expect.poll(() => disabled.get(failingId!)).toMatch(/^no delivery was taken since .*500$/)
  const attempts = failing.statuses.length
  clock.tick(2 * HOUR)
  commit({})
  const well = receivers.add('well.example')
  subscribe({ url: well.url })
  await expect.poll(() => well.webhooks.length).toBeGreaterThan(0)
  expect(failing.statuses.length).toBe(attempts)
})

test('receivers that never answer delay nobody else', async () => {
  const { receivers, subscribe, commit } = await openDelivering({
    deliveriesAtOnce: 4,
    deliveriesOpen: 64,
    receiverMs: 60_000,
  })
  for (let n = 0; n < 20; n++) {
    const dead = receivers.add(`dead-${n}.example`)
    dead.fails = 'hang'
    subscribe({ url: dead.url })
  }
  const well = receivers.add('well.example')
  subscribe({ url: well.url })
  await expectTaken(well, commit(...many(2)))
})

test('a receiver that a host of several subscriptions serves gets one request at a time', async () => {
  const { receivers, subscribe, commit } = await openDelivering()
  const receiver = receivers.add('shared.example')
  const subscriptions = ['a', 'b', 'c'].map(path =>
    subscribe({ url: `${receiver.url}?of=${path}` }),
  )
  const events = commit(...many(2))
  await expect.poll(() => receiver.webhooks.length).toBe(3)
  expect(new Set(receiver.webhooks.map(each => each.subscription_id))).toEqual(
    new Set(subscriptions),
  )
  for (const { result } of receiver.webhooks) {
    expect(ids((result as { events: FeedEvent[] }).events)).toEqual(ids(events))
  }
})

test('a cursor that the feed no longer has ends the subscription instead of losing events in silence', async () => {
  const { receivers, subscribe, commit, disabled, clock } = await openDelivering()
  commit({})
  const receiver = receivers.add('late.example')
  receiver.fails = 500
  clock.tick(100 * 24 * HOUR)
  const [unknown] = commit({})
  const id = subscribe({
    url: receiver.url,
    cursor: unknown!.event_id.replace(/.$/, last => (last === 'f' ? 'e' : 'f')),
  })
  await expect.poll(() => disabled.get(id)).toMatch(/no longer has/)
})

test('nothing of a deleted subscription is kept', async () => {
  const { receivers, subscribe, unsubscribe, commit, state } = await openDelivering()
  const receiver = receivers.add('receiver.example')
  const id = subscribe({ url: receiver.url })
  await expectTaken(receiver, commit({}))
  await expect.poll(() => state.listAttempts(id, 1).length).toBe(1)
  unsubscribe(id)
  await expect.poll(() => state.findProgress(id)).toBeUndefined()
  await expect.poll(() => state.listAttempts(id, 1)).toEqual([])
  const other = receivers.add('other.example')
  subscribe({ url: other.url, cursor: receiver.listEvents()[0]!.event_id })
  await expectTaken(other, commit({}))
  expect(receiver.webhooks).toHaveLength(1)
})

test('a delivery is retried no sooner than its receiver asks, and at the latest after an hour', async () => {
  const { computeRetryMs } = await import('../../../pipeline/push/attempt.ts')
  const limits = {
    deliveryRetrySeconds: 5,
    deliveryRetrySecondsMost: 3_600,
    deliveryFailingHours: 72,
  }
  const waits = [1, 2, 3, 20].map(failures => computeRetryMs(failures, 0, limits))
  expect(waits).toEqual([5_000, 10_000, 20_000, HOUR])
  expect(computeRetryMs(1, MINUTE, limits)).toBe(MINUTE)
  expect(computeRetryMs(1, 24 * HOUR, limits)).toBe(HOUR)
})

test.each(['10.0.0.1', '[::1]', '169.254.169.254', 'receiver.internal'])(
  'nothing is posted to %s, whoever subscribed it',
  async host => {
    const { receivers, subscribe, commit, state } = await openDelivering()
    const receiver = receivers.add(host)
    const id = subscribe({ url: `https://${host}/changes` })
    commit({})
    await expect
      .poll(() => state.listAttempts(id, 1))
      .toMatchObject([
        { delivered: false, status: null, error: 'its host is not on the public internet' },
      ])
    expect(receiver.statuses).toEqual([])
  },
)

test('deliveries that our own limits delay are not failures', async () => {
  const { receivers, subscribe, commit, state } = await openDelivering({
    siteRequestsPerMinute: 2,
    deliveryEvents: 1,
  })
  const receiver = receivers.add('slow.example')
  const id = subscribe({ url: receiver.url })
  commit(...many(3))
  await expect.poll(() => state.findProgress(id)?.next_attempt_at).toMatch(/T/)
  expect(state.findProgress(id)).toMatchObject({ failures: 0, failing_since: null })
  expect(state.listAttempts(id, 10).every(({ delivered }) => delivered)).toBe(true)
})
