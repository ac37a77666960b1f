import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getComplianceStoryboardById, runStoryboard } from '@adcp/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { type LiveHost, type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'
import {
  type Payload,
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../support/servers/reference-agent.ts'
import { serveReferenceAgent } from '../support/servers/storyboards.ts'

const AGENT = 'https://signals.example/signals/mcp'

let agent: ReferenceAgent
let web: LiveWeb
let registry: TestRegistry
let server: Server
let key: string
let damage: (payload: Payload, task: string) => void

beforeAll(async () => {
  agent = await startReferenceAgent(systemClock)
  const host = serveReferenceAgent(agent, {
    isOpen: true,
    damage(payload, { task }) {
      damage(payload, task)
      return payload
    },
  })
  server = await serve(host)
  const settings = { PROTOCOL_NAME: 'adcp' }
  const limits = { storyboardMs: 60_000, storyboardStepMs: 60_000 }
  web = await openLiveWeb({ 'signals.example': host }, limits, settings)
  registry = await web.open({ storyboardRunsPerHour: 1_000 })
  key = await enrol(registry, {
    org: 'Acme',
    domains: ['signals.example'],
    agents: [{ url: AGENT }],
  })
})

afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await web.close()
  await agent.close()
})

/** Serves a host of the test's web on loopback, where the public client's runner reaches it. */
async function serve(host: LiveHost): Promise<Server> {
  const answer = host['*'] as (ask: object) => unknown
  const created = createServer(async (request, response) => {
    await answer({ request, response, path: request.url!, body: await text(request) })
  })
  await new Promise<void>(resolve => created.listen(0, '127.0.0.1', resolve))
  return created
}

/** Runs the public client's storyboard of signals agents; returns the tasks of its failed steps. */
async function runTheirs(): Promise<string[]> {
  const { port } = server.address() as AddressInfo
  const storyboard = getComplianceStoryboardById('signals_baseline')!
  const result = await runStoryboard(`http://127.0.0.1:${port}/signals/mcp`, storyboard, {
    allow_http: true,
    protocol: 'mcp',
    auth: { type: 'bearer', token: TOKEN },
  })
  const steps = result.phases.flatMap(phase => phase.steps)
  expect(steps.length).toBeGreaterThan(3)
  return steps.filter(step => !step.passed && !step.skipped).map(step => step.task)
}

/** Runs the registry's storyboard of signals agents; returns the tasks of its failed steps. */
async function runOurs(): Promise<string[]> {
  const answer = await registry.app.inject({
    method: 'POST',
    url: `/api/registry/agents/${encodeURIComponent(AGENT)}/storyboard/signals_baseline/run`,
    headers: { authorization: `Bearer ${key}` },
  })
  expect(answer.statusCode, answer.body).toBe(200)
  const steps = answer.json().phases.flatMap((phase: Payload) => phase.steps)
  return steps
    .filter(({ result }: Payload) => !result.passed && !result.skipped)
    .map(({ task }: Payload) => task)
}

interface Agent {
  which: string
  damage(payload: Payload, task: string): unknown
  /** Task whose first failure both storyboards report; none for a right agent. */
  fails?: string
}

const inSignals = (edit: (signal: Payload) => unknown) => (payload: Payload, task: string) =>
  task === 'get_signals' && Array.isArray(payload.signals) && payload.signals.map(edit)
const inDeployments = (edit: (payload: Payload) => unknown) => (payload: Payload, task: string) =>
  task === 'activate_signal' && payload.deployments && edit(payload)

const agents: Agent[] = [
  { which: 'that is right', damage: () => {} },
  {
    which: 'that adds fields of its own',
    damage: payload => Object.assign(payload, { ext: { more: true } }),
  },
  {
    which: 'whose signals have no id',
    damage: inSignals(signal => delete signal.signal_agent_segment_id),
    fails: 'get_signals',
  },
  {
    which: 'whose signals have no price',
    damage: inSignals(signal => delete signal.pricing_options),
    fails: 'get_signals',
  },
  {
    which: 'whose prices have no id',
    damage: inSignals(({ pricing_options }) => {
      for (const option of pricing_options) delete option.pricing_option_id
    }),
    fails: 'get_signals',
  },
  {
    which: 'whose signals are of an unknown kind',
    damage: inSignals(signal => Object.assign(signal, { signal_type: 'psychic' })),
    fails: 'get_signals',
  },
  {
    which: 'whose signals are no list',
    damage: (payload, task) => task === 'get_signals' && Object.assign(payload, { signals: {} }),
    fails: 'get_signals',
  },
  {
    which: 'that finds signals by failing',
    damage: (payload, task) => task === 'get_signals' && fail(payload),
    fails: 'get_signals',
  },
  {
    which: 'whose deployments have no kind',
    damage: inDeployments(({ deployments }) => {
      for (const deployment of deployments) delete deployment.type
    }),
    fails: 'activate_signal',
  },
  {
    which: 'whose activations have no deployments',
    damage: inDeployments(payload => delete payload.deployments),
    fails: 'activate_signal',
  },
  {
    which: 'that fails to activate',
    damage: (payload, task) => task === 'activate_signal' && fail(payload),
    fails: 'activate_signal',
  },
]

function fail(payload: Payload): void {
  for (const key of Object.keys(payload)) delete payload[key]
  Object.assign(payload, {
    is_error: true,
    adcp_error: { code: 'SERVICE_UNAVAILABLE', message: 'Later', recovery: 'transient' },
  })
}

test.each(agents)(
  'an agent $which is judged as by the public client',
  async ({ damage: plant, fails }) => {
    damage = plant
    const [theirs, ours] = [await runTheirs(), await runOurs()]
    expect([theirs[0], ours[0]]).toEqual([fails, fails])
  },
)
