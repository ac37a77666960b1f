import { expect, test } from 'vitest'
import { measureCpuMs } from '../support/checks/measured-work.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

const agent = { url: 'https://a.example/mcp', authorized_for: 'all of it' }
const granting = { ...agent, authorization_type: 'property_tags', property_tags: ['all'] }

function buildProperties(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    property_id: `p${i}`,
    property_type: 'website',
    name: `Site ${i}`,
    tags: ['all'],
    identifiers: [{ type: 'domain', value: `s${i}.example.com` }],
    publisher_domain: 'example.com',
  }))
}

const create = (count: number, remoteAddress = '203.0.113.1', agents: unknown[] = [granting]) =>
  registry.send('POST', '/api/adagents/create', {
    payload: { authorized_agents: agents, properties: buildProperties(count) },
    remoteAddress,
  })

test('a large file is created, or refused with its faults, like a small one', async () => {
  for (const count of [2, 300]) {
    const made = await create(count)
    expect([count, made.statusCode]).toEqual([count, 200])
    const { data } = made.json()
    expect(JSON.parse(data.adagents_json).properties).toHaveLength(count)
    expect(data.validation).toMatchObject({ valid: true, errors: [] })
    const faulty = await create(count, '203.0.113.1', [agent, { ...granting, url: 'nowhere' }])
    expect([count, faulty.statusCode]).toEqual([count, 400])
    expect(faulty.json()).toMatchObject({ success: false, errors: expect.any(Array) })
  }
})

test('large bodies delay nobody else, and a caller has few of them at once', async () => {
  await create(300)
  const posts = Array.from({ length: 8 }, () => create(5_000))
  const waits: number[] = []
  let isDone = false
  const all = Promise.all(posts).finally(() => {
    isDone = true
  })
  while (!isDone) {
    const started = performance.now()
    expect((await registry.app.inject('/healthz')).statusCode).toBe(200)
    waits.push(performance.now() - started)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const statuses = (await all).map(({ statusCode }) => statusCode).sort()
  expect(statuses).toEqual([413, 413, 413, 413, 429, 429, 429, 429])
  // On the thread that answers, these took seconds.
  expect(waits.length).toBeGreaterThan(20)
  const refused = (await Promise.all(posts)).find(({ statusCode }) => statusCode === 429)!
  expect(refused.headers['retry-after']).toBe('1')
  expect((await create(2)).statusCode).toBe(200)
})

test('hundreds of thousands of invalid items are refused by their number', async () => {
  for (const domains of [Array(400_000).fill(1), Array(200).fill(Array(2_000).fill(1))]) {
    let answer = await registry.app.inject('/healthz')
    const ms = await measureCpuMs(async () => {
      answer = await registry.send('POST', '/api/brands/resolve/bulk', { payload: { domains } })
    })
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      'The body must have at most 30000 items in its lists.',
    ])
    // Judged one by one they took more than a second.
    expect(ms).toBeLessThan(1_000)
  }
})
