import { expect, it } from 'vitest'
import { Suite } from '../../../pipeline/model/compliance.ts'
import { runStoryboard } from '../../../pipeline/storyboards/run-storyboard.ts'
import { runSuite } from '../../../pipeline/storyboards/run-suite.ts'
import { buildRunDeps, buildStoryboard } from '../../support/fixtures/written-storyboards.ts'
import { agentUrl, buildScriptedAgent, serveAgentHost } from '../../support/servers/agent-host.ts'

const storyboard = buildStoryboard([
  {
    id: 'find',
    title: 'Find a product',
    task: 'get_products',
    context_outputs: [{ name: 'product', path: 'products[0].product_id' }],
    validations: [{ check: 'field_value', path: 'products[0].delivery_type', value: 'guaranteed' }],
  },
  {
    id: 'read',
    title: 'Read it again',
    task: 'get_products',
    sample_request: { product_id: '$context.product' },
    validations: [
      { check: 'field_value', path: 'products[0].product_id', value: 'first-product' },
      { check: 'field_value', path: 'products[0].name', value: 'another' },
    ],
  },
])

const toResult = (structuredContent: object) => ({ content: [], structuredContent })
const agent = buildScriptedAgent({
  tasks: {
    get_products: toResult({
      products: [
        { product_id: 'first-product', delivery_type: 'guaranteed', name: 'secret-token of e' },
      ],
    }),
    get_proto_capabilities: toResult({
      proto: { major_versions: [3] },
      supported_protocols: ['media_buy'],
      specialisms: ['sales-guaranteed', 'my secret-token'],
    }),
  },
})

async function runWith(token: string, answer = agent) {
  const host = await serveAgentHost(answer)
  const deps = buildRunDeps(host)
  const target = { url: agentUrl, authorization: `Bearer ${token}` }
  return { run: await runStoryboard(storyboard, target, deps), suite: await runSuite(target, deps) }
}

it.each([
  'e',
  'name',
  'tools',
  'guaranteed',
  'products',
  'first-product',
  'get_products',
  'get_proto_capabilities',
  'media_buy',
  'sales-guaranteed',
  'structuredContent',
  'field_value',
])('an agent whose credential is %s is judged by what it answers', async token => {
  const { run, suite } = await runWith(token)
  const [find, read] = run.phases[0]!.steps
  expect([run.status, find?.passed, read?.passed]).toEqual(['partial', true, false])
  expect(read?.validations.map(({ check, passed }) => [check, passed])).toEqual([
    ['success', true],
    ['field_value', true],
    ['field_value', false],
  ])
  expect(run.profile?.tools).toContain('get_products')
  expect(suite).toMatchObject({ outcome: 'tested', supports_version: true })
  expect(suite.specialisms).toContain('sales-guaranteed')
  expect(suite.results.map(({ storyboard_id }) => storyboard_id)).toContain('media_buy_seller')
})

it('a credential that the agent echoes is in no result', async () => {
  const { run, suite } = await runWith('secret-token')
  expect(JSON.stringify([run, suite])).not.toContain('secret-token')
  expect(run.phases[0]!.steps[1]?.validations[2]?.actual).toBe('[redacted] of e')
  expect(run.profile?.specialisms).toEqual(['sales-guaranteed', 'my [redacted]'])
  expect(suite.specialisms).toEqual(['sales-guaranteed', 'my [redacted]'])
})

it('a run is stored whatever names the agent gives itself', async () => {
  const names = ['', 'x'.repeat(201), 'é'.repeat(5_000), '\ud800', ' ', 'sales-guaranteed']
  const capabilities = { supported_protocols: names, specialisms: names }
  const odd = buildScriptedAgent({ tasks: { get_proto_capabilities: toResult(capabilities) } })
  const { suite } = await runWith('secret-token', odd)
  expect(suite.specialisms).toContain('sales-guaranteed')
  expect(Suite.safeParse(JSON.parse(JSON.stringify(suite)))).toMatchObject({ success: true })
})
