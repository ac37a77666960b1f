import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findTierOfPrice } from '../../pipeline/core/tiers.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { createRecordingLog } from '../support/registry/recording-log.ts'
import { START } from '../support/worlds/clock.ts'

const SECRET = 'whsec_of-the-test-provider'
const NOW_S = START / 1_000
const agent = 'https://agent.acme.example/mcp'

let registry: TestRegistry
let org: string
let key: string
let said: string[]
let count = 0

beforeEach(async () => {
  const remembering = createRecordingLog()
  said = remembering.said
  registry = await openRegistry({
    settings: { BILLING_WEBHOOK_SECRET: SECRET },
    log: remembering.log,
  })
  key = await enrol(registry, { org: 'Acme' })
  const row = await registry.sequencer.accounts.db.one<{ org_id: string }>(
    'select org_id from organizations',
  )
  org = row!.org_id
})
afterEach(async () => {
  expect(await registry.verify()).toEqual([])
  await registry.close()
})

interface SentEvent {
  id?: string
  type?: string
  created?: number
  status?: string
  price?: string
  organization?: string
}

function formatBody(delivered: SentEvent = {}): string {
  const { id = `evt_${++count}`, type = 'subscription.updated', created = NOW_S } = delivered
  const { status = 'active', price = 'builder_monthly', organization = org } = delivered
  const data = { organization_id: organization, status, price_lookup_key: price }
  return JSON.stringify({ id, type, created, data })
}

function signBody(
  body: string | Buffer,
  at = Math.floor(registry.clock.now() / 1_000),
  by = SECRET,
) {
  const v1 = createHmac('sha256', by).update(`${at}.`).update(body).digest('hex')
  return `t=${at},v1=${v1}`
}

const send = (
  body: string | Buffer,
  signature: string | undefined = signBody(body),
  headers = {},
) =>
  registry.send('POST', '/api/webhooks/billing', {
    headers: {
      'content-type': 'application/json',
      ...(signature && { 'billing-signature': signature }),
      ...headers,
    },
    payload: body,
  })
const tell = async (delivered: SentEvent = {}) => send(formatBody(delivered))
const tierNow = async () =>
  (await registry.sequencer.accounts.db.one<{ tier: string | null }>(
    'select membership_tier as tier from organizations where org_id = $org',
    { org },
  ))!.tier
const visibility = async () =>
  (await registry.sequencer.accounts.db.one<{ visibility: string }>(
    'select visibility from member_agents',
  ))!.visibility
const show = () =>
  registry.send('POST', '/api/me/agents', {
    key,
    payload: { url: agent, type: 'sales', visibility: 'public' },
  })

describe('an event of the billing provider', () => {
  test('sets the tier and removes it', async () => {
    const answer = await tell()
    expect([answer.statusCode, answer.json()]).toEqual([200, { received: true, applied: true }])
    expect(await tierNow()).toBe('company_standard')
    await tell({ price: 'partner_2026', created: NOW_S + 1 })
    expect(await tierNow()).toBe('company_icl')
    await tell({ price: 'of another kind', status: 'past_due', created: NOW_S + 2 })
    expect(await tierNow(), 'a price that tells nothing leaves it').toBe('company_icl')
    await tell({ status: 'unpaid', created: NOW_S + 3 })
    expect(await tierNow()).toBeNull()
    await tell({ type: 'customer.subscription.created', status: 'trialing', created: NOW_S + 4 })
    await tell({ type: 'customer.subscription.deleted', created: NOW_S + 5 })
    expect(await tierNow()).toBeNull()
  })

  test('hides public agents in the commit in which API access is lost', async () => {
    await tell()
    await show()
    expect(await visibility()).toBe('public')
    const before = registry.sequencer.seq
    await tell({ status: 'canceled', created: NOW_S + 1 })
    expect(registry.sequencer.seq).toBe(before + 1)
    expect(await visibility()).toBe('members_only')
    const rows = await registry.sequencer.index.all('select * from enrolled_agents')
    expect(rows).toEqual([])
    await tell({ created: NOW_S + 2 })
    expect(await visibility(), 'and shows none again by itself').toBe('members_only')
  })

  test('counts once, however often it is delivered', async () => {
    const lost = formatBody({ status: 'canceled', created: NOW_S + 1 })
    await tell()
    await send(lost)
    await tell({ created: NOW_S + 2 })
    await show()
    const again = await send(lost)
    expect([again.statusCode, again.json()]).toEqual([200, { received: true, applied: false }])
    expect(await tierNow()).toBe('company_standard')
    expect(await visibility()).toBe('public')
  })

  test('that arrives after a later one changes nothing', async () => {
    await tell({ status: 'canceled', created: NOW_S + 9 })
    expect((await tell({ created: NOW_S })).json()).toMatchObject({ applied: false })
    expect(await tierNow()).toBeNull()
  })

  test('has the same final effect in any order and number of deliveries', async () => {
    const prices = ['explorer', 'builder', 'leader'] as const
    const event = fc.record({
      created: fc.integer({ min: 1, max: 30 }).map(after => NOW_S - 100 + after),
      status: fc.constantFrom('active', 'canceled'),
      price: fc.constantFrom(...prices),
    })
    const events = fc.uniqueArray(event, {
      selector: event => event.created,
      minLength: 1,
      maxLength: 5,
    })
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        events.chain(all =>
          fc.tuple(
            fc.constant(all),
            fc.shuffledSubarray([...all, ...all], { minLength: all.length }),
          ),
        ),
        async ([all, sent]) => {
          const own = await openRegistry({ settings: { BILLING_WEBHOOK_SECRET: SECRET } })
          try {
            const name = `Member ${round++}`
            await own.createKey(name)
            const row = await own.sequencer.accounts.db.one<{ org_id: string }>(
              'select org_id from organizations',
            )
            for (const delivered of [...sent, ...all]) {
              const id = `evt_${all.findIndex(event => event.created === delivered.created)}`
              const payload = formatBody({ ...delivered, id, organization: row!.org_id })
              const headers = {
                'content-type': 'application/json',
                'billing-signature': signBody(payload, NOW_S),
              }
              const url = '/api/webhooks/billing'
              expect(
                (await own.app.inject({ method: 'POST', url, payload, headers })).statusCode,
              ).toBe(200)
            }
            const last = all.reduce((a, b) => (a.created > b.created ? a : b))
            const tier = last.status === 'active' ? findTierOfPrice(last.price) : null
            const now = await own.sequencer.accounts.db.one<{ tier: string | null }>(
              'select membership_tier as tier from organizations',
            )
            expect(now!.tier).toBe(tier)
          } finally {
            await own.close()
          }
        },
      ),
      { numRuns: 10 },
    )
  })

  test('about another subject, or an unknown organization, is accepted or refused with a reason', async () => {
    const other = await tell({ type: 'invoice.paid' })
    expect(other.json()).toEqual({ received: true, applied: false })
    const nobody = await tell({ organization: '3b6c1d5e-7f6f-4a0e-9a53-0e6b7c3f1a11' })
    expect(nobody.statusCode).toBe(404)
    const event = { id: 'e', type: 'subscription.updated', created: 1, data: {} }
    for (const [body, error] of [
      ['{', 'The body is not valid JSON.'],
      ['null', 'The body must be an object.'],
      ['{}', '`id` is required.'],
      [JSON.stringify({ ...event, type: 1 }), '`type` must be a string.'],
      [JSON.stringify(event), '`data.organization_id` is required.'],
      [
        JSON.stringify({ ...event, data: { organization_id: 'x' } }),
        '`data.organization_id` must be a UUID.',
      ],
    ] as const) {
      const answer = await send(body)
      expect([answer.statusCode, answer.json().error]).toEqual([400, error])
    }
  })

  test('gets 503 while it cannot be stored, so that it is delivered again', async () => {
    const plain = await openRegistry()
    const payload = formatBody()
    const headers = { 'content-type': 'application/json', 'billing-signature': signBody(payload) }
    const url = '/api/webhooks/billing'
    const answer = await plain.app.inject({ method: 'POST', url, payload, headers })
    expect(answer.statusCode).toBe(503)
    await plain.close()
  })
})

describe('an unverified webhook', () => {
  test.each<[string, (body: string) => string | undefined]>([
    ['without a signature', () => undefined],
    ['with nonsense for one', () => 'x'],
    ['without a time', body => signBody(body).replace(/t=\d+,/, '')],
    ['signed by another secret', body => signBody(body, NOW_S, 'another secret, as long')],
    ['with another body', body => signBody(`${body} `)],
    ['with another time', body => signBody(body).replace(/t=\d+/, `t=${NOW_S + 1}`)],
    ['signed six minutes ago', body => signBody(body, NOW_S - 360)],
    ['signed in six minutes', body => signBody(body, NOW_S + 360)],
    ['with a signature cut off', body => signBody(body).slice(0, -2)],
    ['with an empty signature', () => `t=${NOW_S},v1=`],
  ])('%s', async (_, sign) => {
    const body = formatBody()
    const answer = await registry.send('POST', '/api/webhooks/billing', {
      headers: { 'content-type': 'application/json', ...toHeaders(sign(body)) },
      payload: body,
    })
    expect(answer.statusCode).toBe(400)
    expect(typeof answer.json().error).toBe('string')
    expect(await tierNow()).toBeNull()
    expect(said.join()).not.toContain(SECRET)
  })

  test('a signature that is delivered later than allowed counts as forged', async () => {
    const body = formatBody()
    const signature = signBody(body)
    registry.clock.tick(5 * 60_000 + 1_000)
    expect((await send(body, signature)).statusCode).toBe(400)
  })

  test('the signature covers the bytes as sent, whatever their type and spelling', async () => {
    const body = Buffer.from(
      formatBody().replaceAll(':', ' :  ').replace('builder', 'b\\u0075ilder'),
    )
    const answer = await send(body, signBody(body), { 'content-type': 'text/plain' })
    expect(answer.json()).toEqual({ received: true, applied: true })
  })

  test('one valid signature of several is enough while a secret is replaced', async () => {
    const body = formatBody()
    const old = signBody(body, NOW_S, 'the secret of yesterday').replace(/^t=\d+/, '')
    expect((await send(body, `${signBody(body)}${old}`)).json()).toMatchObject({ applied: true })
  })
})

test.each([
  ['explorer_yearly', 'individual_academic'],
  ['Professional-2026', 'individual_professional'],
  ['builder', 'company_standard'],
  ['member_monthly', 'company_icl'],
  ['leader_x', 'company_leader'],
  ['membership', undefined],
  ['', undefined],
])('the price %s buys %s', (price, tier) => {
  expect(findTierOfPrice(price)).toBe(tier)
})

function toHeaders(signature: string | undefined) {
  return signature === undefined ? {} : { 'billing-signature': signature }
}
