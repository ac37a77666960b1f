import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { limits } from '../../../pipeline/core/limits.ts'
import { AgentSession } from '../../../pipeline/storyboards/agent-session.ts'
import { openAgentSession } from '../../../pipeline/storyboards/connect-agent.ts'
import { buildRunDeps } from '../../support/fixtures/written-storyboards.ts'
import {
  type AgentAnswer,
  type AgentRequest,
  agentUrl,
  buildScriptedAgent,
  serveAgentHost,
} from '../../support/servers/agent-host.ts'

const working = buildScriptedAgent({
  tasks: { get_products: { content: [], structuredContent: { products: [] } } },
})

async function callOnce(answer: AgentAnswer, more: Partial<typeof limits> = {}) {
  const host = await serveAgentHost(answer)
  const session = await openAgentSession({ url: agentUrl }, buildRunDeps(host, more))
  if (!(session instanceof AgentSession)) throw new Error('the agent did not answer')
  return { session, answer: await session.call('get_products', {}) }
}

function refuseFor(retry_after: number, { call: { id } }: AgentRequest) {
  const data = { proto_error: { code: 'RATE_LIMITED', message: 'Later', retry_after } }
  return { jsonrpc: '2.0', id, error: { code: -32_029, message: 'Later', data } }
}

it('a run waits as long as the agent asks it to, and calls again', async () => {
  let refusals = 0
  const { answer } = await callOnce((ask, response) => {
    if (ask.call.method !== 'tools/call' || refusals > 0) return working(ask, response)
    refusals++
    return refuseFor(1, ask)
  })
  expect(refusals).toBe(1)
  expect(answer).toMatchObject({ kind: 'answered', outcome: { payload: { products: [] } } })
})

it('a run that ends in a pause does not call again', async () => {
  let calls = 0
  const refusing: AgentAnswer = (ask, response) => {
    if (ask.call.method !== 'tools/call') return working(ask, response)
    calls++
    return refuseFor(60, ask)
  }
  const { answer } = await callOnce(refusing, { storyboardMs: 2_000 })
  expect(answer.kind).toBe('silent')
  await setTimeout(500)
  expect(calls).toBe(1)
})

it('a run ends when it has made as many requests as it may, those of connecting among them', async () => {
  const { session } = await callOnce(working, { storyboardCalls: 5 })
  expect(session.hasEnded).toBe(false)
  await session.call('get_products', {})
  expect(session.hasEnded).toBe(true)
})
