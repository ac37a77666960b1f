import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openForAll } from '../../support/runner/open-for-all.ts'
import {
  anyJson,
  type Payload,
  startReferenceAgent,
} from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const format_id = { agent_url: 'https://agent.example/creative/mcp', id: 'native_content' }

/** Values that get far into a task, among others that do not. */
const anything = fc.oneof(
  { weight: 2, arbitrary: anyJson },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      account,
      account.brand,
      'test-product',
      'runners',
      '2026-12-01T00:00:00Z',
      'asap',
      'purchase',
      'https://buyer.example/hook',
      { url: 'https://buyer.example/hook' },
      format_id,
      [format_id],
      {
        format_id,
        assets: { headline: { content: '\u0000<b>' }, image: [{ url: 'https://x.example/a.png' }] },
      },
      { format_id, assets: { promoted_offerings: { inline_offerings: [{ name: '' }] } } },
      [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget: 1e308 }],
      [{ creative_id: 'c', name: '', format_id, assets: {} }],
      [{ event_id: '\u001f' }],
      [{ audience_id: 'a', add: [{ external_id: 'x', uids: [{}] }] }],
      [{ type: 'product', items: [{}, { id: 7 }] }],
      [{ type: 'platform', platform: '\ud800' }],
    ),
  },
)

test('every task answers any arguments without an internal error', async () => {
  const tenants: Payload[] = (await agent.app.inject('/.well-known/adagents.json')).json().tenants
  const tasks: { tenant: string; name: string; keys: string[] }[] = []
  for (const { tenant } of tenants) {
    const { tools } = (await agent.post(tenant, { method: 'tools/list' })).json().result
    for (const { name, inputSchema } of tools) {
      tasks.push({ tenant, name, keys: Object.keys(inputSchema.properties ?? {}) })
    }
  }
  expect(tasks.length).toBeGreaterThan(40)
  let key = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tasks).chain(task => {
        const name = fc.constantFrom(...task.keys, 'context')
        return fc.tuple(fc.constant(task), fc.dictionary(name, anything, { maxKeys: 8 }))
      }),
      async ([{ tenant, name }, given]) => {
        const keyed = { ...given, idempotency_key: `key-of-any-arguments-${++key}` }
        const { isError, payload } = await agent.call(tenant, name, keyed)
        if (!isError) return
        expect(payload).not.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        // Nor in the words of the schema library.
        expect(JSON.stringify(payload)).not.toMatch(/: (?:Invalid|Too|Unrecognized|Expected) /)
      },
    ),
    { numRuns: 1500 },
  )
})
