import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { limits } from '../../../pipeline/core/limits.ts'
import { runStoryboard } from '../../../pipeline/storyboards/run-storyboard.ts'
import { buildRunDeps, buildStoryboard } from '../../support/fixtures/written-storyboards.ts'
import {
  type AgentAnswer,
  type AgentRequest,
  agentUrl,
  buildScriptedAgent,
  noAnswer,
  serveAgentHost,
  writeEventStream,
} from '../../support/servers/agent-host.ts'

const STEPS = 6
const steps = Array.from({ length: STEPS }, (_, at) => ({
  id: `ask_${at}`,
  title: 'Ask',
  task: 'get_products',
  validations: [{ check: 'field_present', path: 'products' }],
}))
const storyboard = buildStoryboard(steps)

async function run(answer: AgentAnswer, more: Partial<typeof limits> = {}) {
  const host = await serveAgentHost(answer)
  const { phases, status } = await runStoryboard(
    storyboard,
    { url: agentUrl, authorization: 'Bearer a-secret-of-the-agent' },
    buildRunDeps(host, { storyboardStepMs: 1_500, storyboardMs: 4_000, ...more }),
  )
  return { status, steps: phases.flatMap(phase => phase.steps) }
}

/** Times that a right agent keeps on a machine that is busy. */
const patient = { storyboardStepMs: 30_000, storyboardMs: 60_000 }

type Answer = (ask: AgentRequest, response: ServerResponse) => unknown
const tasks = { get_products: { content: [], structuredContent: { products: [] } } }
const agentThat = (answer: Answer) =>
  buildScriptedAgent({ tasks, methods: { 'tools/call': answer } })

function answerHugely({ call }: AgentRequest, response: ServerResponse): unknown {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(`{"jsonrpc":"2.0","id":${call.id},"result":{"content":[{"type":"text","text":"`)
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(1_000_000)));
  }
  response.on('drain', more)
  more()
  return noAnswer
}

function answerEndlessly(_: AgentRequest, response: ServerResponse): unknown {
  const timer = setInterval(() => response.write(': still here\n\n'), 20)
  response.on('close', () => clearInterval(timer))
  return writeEventStream(response)
}

test.each<[string, Answer]>([
  ['never answers', () => noAnswer],
  ['answers hugely', answerHugely],
  ['answers endlessly', answerEndlessly],
  ['breaks off', (_, response) => response.destroy() && noAnswer],
])('an agent that %s ends its own run in time, and no other', async (_what, answer) => {
  const started = performance.now()
  const [hostile, right] = await Promise.all([
    run(agentThat(answer)),
    run(buildScriptedAgent({ tasks }), patient),
  ])
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(hostile.status).toBe('failing')
  expect(hostile.steps).toHaveLength(STEPS)
  expect(hostile.steps.filter(({ passed }) => passed)).toEqual([])
  expect(right.status).toBe('passing')
})

test('an agent that answers with another’s address sends nobody there', async () => {
  const asked: unknown[] = []
  const working = buildScriptedAgent({ tasks })
  const answer: AgentAnswer = (ask, response) => {
    if (ask.headers.host !== 'agent.example') asked.push(ask)
    if (ask.call.method !== 'tools/call') return working(ask, response)
    response.writeHead(307, { location: 'https://victim.example/mcp' }).end()
    return noAnswer
  }
  const { status, steps } = await run(answer)
  expect([status, steps.filter(({ passed }) => passed)]).toEqual(['failing', []])
  expect(asked).toEqual([])
})

const refuseForNow: Answer = ({ call: { id } }) => {
  const data = { proto_error: { code: 'RATE_LIMITED', message: 'Later', retry_after: 0 } }
  return { jsonrpc: '2.0', id, error: { code: -32_029, message: 'Later', data } }
}

/** Gives out a session, and forgets it at once. */
const forget: AgentAnswer = (ask, response) => {
  const { id, method } = ask.call
  if (method === 'initialize') {
    response.setHeader('mcp-session-id', 'session')
    return { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } }
  }
  if (method !== 'tools/call') return buildScriptedAgent({ tasks })(ask, response)
  response.writeHead(404).end()
  return noAnswer
}

/** Lists a tool a page, and always a further page. */
const listEndlessly: Answer = ({ call: { id } }) => ({
  jsonrpc: '2.0',
  id,
  result: { tools: [], nextCursor: `page-${id}` },
})

test.each<[string, AgentAnswer]>([
  ['asks to be called again after a pause', agentThat(refuseForNow)],
  ['forgets each session', forget],
  ['has no end of tools', buildScriptedAgent({ methods: { 'tools/list': listEndlessly } })],
])('an agent that %s is sent no more requests than a run may make', async (_what, answer) => {
  const storyboardCalls = 10
  let requests = 0
  const count: AgentAnswer = (ask, response) => {
    requests++
    return answer(ask, response)
  }
  const { steps } = await run(count, { ...patient, storyboardCalls })
  expect(requests).toBe(storyboardCalls)
  expect(steps.filter(({ passed }) => passed)).toEqual([])
})

test('an agent of which a run does not see the end does not pass', async () => {
  const bounds = { ...patient, storyboardCalls: 6 }
  const { status, steps } = await run(buildScriptedAgent({ tasks }), bounds)
  expect(steps.map(({ passed, skip_reason }) => passed ?? skip_reason)).toEqual([
    ...Array(3).fill(true),
    ...Array(3).fill('timed_out'),
  ])
  expect(status).toBe('partial')
})

test('an agent is not blamed for the call during which the time of the run ends', async () => {
  let calls = 0
  const answer = agentThat(({ call: { id } }) => {
    calls++
    return calls > 1 ? noAnswer : { jsonrpc: '2.0', id, result: tasks.get_products }
  })
  const { status, steps } = await run(answer, { ...patient, storyboardMs: 2_000 })
  expect(steps.map(({ passed, skip_reason }) => passed ?? skip_reason)).toEqual([
    true,
    ...Array(5).fill('timed_out'),
  ])
  expect(status).toBe('partial')
})
