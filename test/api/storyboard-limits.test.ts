import { expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { type HostRequest, type LiveHost, openLiveWeb } from '../support/servers/live-web.ts'
import { startReferenceAgent, TOKEN } from '../support/servers/reference-agent.ts'
import { serveReferenceAgent } from '../support/servers/storyboards.ts'

const CREDENTIALS_KEY = Buffer.alloc(32, 9).toString('base64')
const ANSWER_BYTES_MAX = 200_000

const agent = openForAll(() => startReferenceAgent(systemClock))
const web = openForAll(() =>
  openLiveWeb(
    {},
    { storyboardMs: 4_000, storyboardStepMs: 60_000, agentAnswerBytes: ANSWER_BYTES_MAX },
    {
      PROTOCOL_NAME: 'adcp',
      CREDENTIALS_KEY,
      REFERENCE_AGENT_URL: 'https://reference.example',
      REFERENCE_AGENT_TOKEN: TOKEN,
    },
  ),
)
const registry = openForAll(() =>
  web.open(
    { storyboardRunsPerHour: 1_000 },
    { settings: { PROTOCOL_NAME: 'adcp', CREDENTIALS_KEY } },
  ),
)

/** Values of the header `Authorization` that each host was sent. */
const sent: Record<string, Set<string | undefined>> = {}

/** Serves a host, and notes what credentials it is sent. */
function watch(name: string, host: LiveHost): void {
  sent[name] = new Set()
  web.hosts[name] = {
    '*': (ask: HostRequest) => {
      sent[name]!.add(ask.request.headers.authorization)
      return (host['*'] as (ask: HostRequest) => unknown)(ask)
    },
  }
}

const ask = async (method: 'POST' | 'PUT', url: string, path: string, key: string, payload = {}) =>
  registry.send(method, `/api/registry/agents/${encodeURIComponent(url)}/${path}`, { key, payload })

const compare = 'storyboard/capability_discovery/compare'

test('an agent is sent its own credential or none, also when it redirects', async () => {
  watch('reference.example', serveReferenceAgent(agent, { isOpen: true }))
  watch('own.example', serveReferenceAgent(agent, { isOpen: true }))
  watch('other.example', serveReferenceAgent(agent, { isOpen: true }))
  watch('thief.example', serveReferenceAgent(agent, { isOpen: true }))
  watch('moved.example', {
    '*': ({ response, path }) =>
      response.writeHead(307, { location: `https://thief.example${path}` }).end(),
  })
  const urls = ['own', 'other', 'moved'].map(name => `https://${name}.example/sales/mcp`)
  const key = await enrol(registry, { org: 'Careful', agents: urls.map(url => ({ url })) })
  for (const url of [urls[0]!, urls[2]!]) {
    const saved = await ask('PUT', url, 'connect', key, { auth_token: `secret-of-${url.length}` })
    expect(saved.statusCode).toBe(200)
  }
  for (const url of urls) expect((await ask('POST', url, compare, key)).statusCode).toBe(200)
  expect(sent).toEqual({
    'reference.example': new Set([`Bearer ${TOKEN}`]),
    'own.example': new Set([`Bearer secret-of-${urls[0]!.length}`]),
    'other.example': new Set([undefined]),
    'moved.example': new Set([`Bearer secret-of-${urls[2]!.length}`]),
    'thief.example': new Set(),
  })
})

test('a storyboard ends when its time is over, whatever the agent does', async () => {
  web.hosts['slow.example'] = serveReferenceAgent(agent, {
    isOpen: true,
    listen: ({ method }) => (method === 'tools/call' ? new Promise(() => undefined) : undefined),
  })
  const url = 'https://slow.example/sales/mcp'
  const key = await enrol(registry, { org: 'Slow', agents: [{ url }] })
  const answer = await ask('POST', url, 'storyboard/capability_discovery/run', key)
  expect(answer.statusCode).toBe(200)
  const { summary } = answer.json()
  expect(summary).toMatchObject({ steps_passed: 0, total_steps: 2 })
})

test('no answer is read beyond the limit', async () => {
  let written = 0
  let isSkipped = false
  const inner = serveReferenceAgent(agent, { isOpen: true })['*'] as (ask: HostRequest) => unknown
  web.hosts['endless.example'] = {
    '*': (asked: HostRequest) => {
      const { response, body } = asked
      if (!body.includes('tools/call')) return inner(asked)
      response.writeHead(200, { 'content-type': 'application/json' })
      const piece = ' '.repeat(64 * 1_024)
      response.once('close', () => {
        isSkipped = true
      })
      const write = (): void => {
        while (!response.destroyed) {
          written += piece.length
          if (!response.write(piece)) return void response.once('drain', write)
        }
      }
      return write()
    },
  }
  const url = 'https://endless.example/sales/mcp'
  const key = await enrol(registry, { org: 'Endless', agents: [{ url }] })
  const answer = await ask('POST', url, 'storyboard/capability_discovery/run', key)
  expect(answer.statusCode).toBe(200)
  expect(answer.json().summary).toMatchObject({ steps_passed: 0 })
  await expect.poll(() => isSkipped).toBe(true)
  // What lies in buffers of the network is sent and never read.
  expect(written).toBeLessThan(100 * ANSWER_BYTES_MAX)
})
