import { expect, test } from 'vitest'
import { runStoryboard } from '../../../pipeline/storyboards/run-storyboard.ts'
import { buildRunDeps, buildStoryboard } from '../../support/fixtures/written-storyboards.ts'
import {
  agentUrl,
  buildScriptedAgent,
  clock,
  serveAgentHost,
} from '../../support/servers/agent-host.ts'

const PERSON = { hashed_email: 'a'.repeat(64) }

/** Runs one step, which an agent must have passed on; `recorded` is what its test controller answers. */
async function run(recorded: Record<string, unknown> | undefined, rule: object = {}) {
  const storyboard = buildStoryboard([
    {
      id: 'sync',
      title: 'Sync',
      task: 'sync_audiences',
      sample_request: { audiences: [{ add: [PERSON] }] },
      validations: [
        {
          check: 'upstream_traffic',
          endpoint_pattern: 'POST */audiences/*',
          identifier_paths: ['audiences[*].add[*].hashed_email'],
          ...rule,
        },
      ],
    },
  ])
  const queries: unknown[] = []
  const answer = (structuredContent: object) => ({ content: [], structuredContent })
  const agent = buildScriptedAgent({
    tasks: { sync_audiences: answer({ audiences: [] }), comply_test_controller: answer({}) },
    methods: {
      'tools/call': ({ call: { id, params = {} } }) => {
        const { scenario, params: query } = (params.arguments ?? {}) as Record<string, object>
        if (params.name !== 'comply_test_controller') return undefined
        if (query !== undefined) queries.push(query)
        const scenarios = recorded === undefined ? [] : ['query_upstream_traffic']
        const result = answer(
          String(scenario) === 'list_scenarios' ? { success: true, scenarios } : { ...recorded },
        )
        return { jsonrpc: '2.0', id, result }
      },
    },
  })
  const host = await serveAgentHost(agent)
  const { phases } = await runStoryboard(storyboard, { url: agentUrl }, buildRunDeps(host))
  return { step: phases[0]!.steps[0]!, queries }
}

const call = {
  method: 'POST',
  endpoint: 'POST https://platform.example/v2/audiences/upload',
  content_type: 'application/json',
  payload: { users: [PERSON] },
}
const record = (...recorded_calls: unknown[]) => ({ success: true, recorded_calls })

test('an agent that passed on what it was sent passes, by its record since the step', async () => {
  const { step, queries } = await run(record(call))
  expect(step).toMatchObject({ passed: true })
  const since_timestamp = new Date(clock.now() - 250).toISOString()
  expect(queries).toEqual([{ since_timestamp, limit: 100 }])
})

test.each([
  ['called nobody', record(), {}],
  ['called another address', record({ ...call, endpoint: 'GET https://a.example/' }), {}],
  ['passed on somebody else', record({ ...call, payload: { users: [{ id: 'x' }] } }), {}],
  ['called too seldom', record(call), { min_count: 2 }],
  [
    'left out a member',
    record(call),
    { payload_must_contain: [{ path: '$.users[*].consent', match: 'present' }] },
  ],
  [
    'sent another value',
    record(call),
    { payload_must_contain: [{ path: 'users[0].hashed_email', match: 'equals', value: 'b' }] },
  ],
  [
    'sent a form, of which paths say nothing',
    record({ ...call, content_type: 'text/plain' }),
    { payload_must_contain: [{ path: 'users', match: 'present' }] },
  ],
])('an agent that %s fails', async (_what, recorded, rule) => {
  const { step } = await run(recorded, rule)
  expect(step).toMatchObject({ passed: false })
  expect(step.validations.find(({ passed }) => !passed)?.check).toBe('upstream_traffic')
})

test.each([
  ['keeps no record', undefined, {}],
  ['does not show its record', { success: false, error: 'NOT_FOUND' }, {}],
  ['was never at the step since which it is asked', record(call), { since: 'another' }],
])('an agent that %s has no result, and is told why', async (_what, recorded, rule) => {
  const { step } = await run(recorded, rule)
  expect(step).toMatchObject({ passed: null, skipped: true, skip_reason: 'no_upstream_record' })
})
