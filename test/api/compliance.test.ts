import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { ComplianceMonitor } from '../../jobs/indexer/compliance-monitor.ts'
import { HOUR, MINUTE, systemClock } from '../../pipeline/core/clock.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { badgeRoles } from '../../pipeline/model/badge.ts'
import type { FeedEvent } from '../../pipeline/model/event.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { type HostRequest, type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'
import {
  type Payload,
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../support/servers/reference-agent.ts'
import { serveReferenceAgent } from '../support/servers/storyboards.ts'
import { makeRegistryKey } from '../support/servers/webhook-receivers.ts'

const CREDENTIALS_KEY = Buffer.alloc(32, 7).toString('base64')
const settings = { PROTOCOL_NAME: 'adcp', CREDENTIALS_KEY }
const INTERVAL = 12 * HOUR
const FIRST = limits.complianceFirstMs

let agent: ReferenceAgent
let web: LiveWeb
let registry: TestRegistry
const signing = makeRegistryKey()

/** Hosts whose agent answers wrongly at present. */
const broken = new Set<string>()

beforeAll(async () => {
  agent = await startReferenceAgent(systemClock)
  web = await openLiveWeb(
    {},
    { storyboardMs: 60_000, storyboardStepMs: 60_000, complianceAgainMs: 100 },
    { ...settings, REFERENCE_AGENT_URL: 'https://reference.example', REFERENCE_AGENT_TOKEN: TOKEN },
  )
  registry = await web.open(
    { storyboardRunsPerHour: 1_000 },
    { settings: { ...settings, REGISTRY_SIGNING_KEYS: signing.path } },
  )
})

afterAll(async () => {
  await web.close()
  await agent.close()
  signing.remove()
})

/** Serves an agent that passes, unless it is broken. */
function serve(host: string, { isOpen = true } = {}): void {
  web.hosts[host] = serveReferenceAgent(agent, {
    isOpen,
    damage: (payload, { task }) =>
      broken.has(host) && task === 'get_signals' ? { ...payload, signals: [] } : payload,
  })
}

interface ComplianceView {
  visibility?: 'public' | 'private'
  isOpen?: boolean
}

interface Enrolled {
  url: string
  key: string
  read(path: string, secret?: string): Promise<{ status: number; body: Payload }>
  send(
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<{ status: number; body: Payload }>
}

const parse = (text: string) => (text === '' ? undefined : JSON.parse(text))

async function enrolAgent(
  host: string,
  { visibility = 'public', isOpen = true }: ComplianceView = {},
): Promise<Enrolled> {
  serve(host, { isOpen })
  const url = `https://${host}/signals/mcp`
  const key = await enrol(registry, {
    org: host,
    tier: 'company_standard',
    domains: [host],
    agents: [{ url, type: 'signals', visibility }],
  })
  const at = (path: string) => `/api/registry/agents/${encodeURIComponent(url)}/${path}`
  return {
    url,
    key,
    async read(path, secret) {
      const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
      const answer = await registry.app.inject({ url: at(path), headers })
      const isJson = String(answer.headers['content-type']).includes('json')
      return { status: answer.statusCode, body: isJson ? parse(answer.body) : answer.body }
    },
    async send(method, path, payload) {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await registry.send(method, at(path), { headers, payload })
      return { status: answer.statusCode, body: parse(answer.body) }
    },
  }
}

/** Has the agents tested that are due, as the indexer does every few seconds. */
async function testDue(): Promise<number> {
  const { sequencer, clock, config } = registry
  const writer = {
    runStoryboard: web.writer.runStoryboard,
    submit: async (operation: Parameters<typeof registry.submit>[0]) =>
      (await registry.submit(operation))[0]!,
  }
  const monitor = new ComplianceMonitor({
    sequencer,
    writer,
    limits: config.LIMITS,
    clock,
    log: silentLog,
  })
  const tested = await monitor.testDue()
  await monitor.expireBadges()
  await registry.reader.refresh()
  return tested
}

/** Tests one agent now, whatever else is due. */
async function testNow(tested: Enrolled): Promise<void> {
  registry.clock.tick(2 * MINUTE)
  expect((await tested.send('POST', 'monitoring/requeue')).status).toBe(200)
  registry.clock.tick(1_000)
  const before = (await tested.read('compliance', tested.key)).body.last_checked_at
  for (;;) {
    await testDue()
    const { body } = await tested.read('compliance', tested.key)
    if (body.last_checked_at !== before) return
  }
}

async function listEvents(url: string): Promise<FeedEvent[]> {
  const key = await registry.createKey(`Reader ${randomUUID()}`)
  const answer = await registry.send('GET', '/api/registry/feed?types=agent.*&limit=1000', { key })
  return answer.json().events.filter((event: FeedEvent) => event.entity_id === url)
}

describe('scheduled runs', () => {
  it('test an agent within minutes of its enrolment, and then at its interval', async () => {
    const tested = await enrolAgent('scheduled.example')
    expect(await testDue()).toBe(0)
    registry.clock.tick(FIRST)
    expect(await testDue()).toBe(1)
    expect((await tested.read('compliance')).body).toMatchObject({
      status: 'passing',
      lifecycle_stage: 'production',
      streak_days: 0,
      check_interval_hours: 12,
      declared_specialisms: ['signal-marketplace', 'signal-owned'],
      specialism_status: { 'signal-marketplace': 'passing', 'signal-owned': 'passing' },
      verified: true,
      verified_roles: ['signals'],
    })
    expect(await testDue()).toBe(0)
    registry.clock.tick(INTERVAL)
    expect(await testDue()).toBe(1)
    expect((await tested.read('compliance')).body.streak_days).toBe(1)
    const { runs } = (await tested.read('compliance/history')).body
    expect(runs).toMatchObject([
      { triggered_by: 'heartbeat', overall_status: 'passing', storyboard_id: null },
      { triggered_by: 'heartbeat', tracks_passed: 4, tracks_json: { signals: 'pass' } },
    ])
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('follow the settings of the organization', async () => {
    const tested = await enrolAgent('settings.example')
    const schedule = { monitoring_paused: false, check_interval_hours: 12 }
    expect((await tested.read('monitoring/settings', tested.key)).body).toMatchObject(schedule)
    expect((await tested.send('PUT', 'monitoring/pause', { paused: true })).body).toMatchObject({
      monitoring_paused: true,
      monitoring_paused_at: expect.any(String),
    })
    registry.clock.tick(FIRST)
    expect(await testDue()).toBe(0)
    await tested.send('PUT', 'monitoring/pause', { paused: false })
    expect(await testDue()).toBe(1)
    const changed = await tested.send('PUT', 'monitoring/interval', { interval_hours: 24 })
    expect(changed.body).toMatchObject({ check_interval_hours: 24, monitoring_paused_at: null })
    registry.clock.tick(INTERVAL)
    expect(await testDue()).toBe(0)
    expect((await tested.send('PUT', 'monitoring/interval', { interval_hours: 5 })).status).toBe(
      400,
    )
    const staged = await tested.send('PUT', 'lifecycle', { lifecycle_stage: 'testing' })
    expect(staged.body).toMatchObject({ lifecycle_stage: 'testing', check_interval_hours: 24 })
    expect((await tested.read('compliance')).body.lifecycle_stage).toBe('testing')
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('begin at once on request, once a minute', async () => {
    const tested = await enrolAgent('requeued.example')
    expect((await tested.send('POST', 'monitoring/requeue')).body).toEqual({ requeued: true })
    const again = await tested.send('POST', 'monitoring/requeue')
    expect([again.status, again.body.retry_after]).toEqual([429, 60])
    expect(await testDue()).toBe(1)
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
    registry.clock.tick(MINUTE)
    expect((await tested.send('POST', 'monitoring/requeue')).status).toBe(409)
  })

  it('begin again at once with a credential that was saved since the last request', async () => {
    const tested = await enrolAgent('corrected.example')
    await tested.send('POST', 'monitoring/requeue')
    registry.clock.tick(1_000)
    expect((await tested.send('POST', 'monitoring/requeue')).status).toBe(429)
    const credential = { auth_type: 'bearer', auth_token: 'a-new-token' }
    expect((await tested.send('PUT', 'connect', credential)).status).toBe(200)
    await registry.reader.refresh()
    expect((await tested.send('POST', 'monitoring/requeue')).body).toEqual({ requeued: true })
    registry.clock.tick(1_000)
    expect((await tested.send('POST', 'monitoring/requeue')).status).toBe(429)
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('call an agent once more before they report that it cannot be reached', async () => {
    const shaky = await enrolAgent('shaky.example')
    const answer = web.hosts['shaky.example']!['*'] as (ask: HostRequest) => unknown
    const tried = new Set<string>()
    web.hosts['shaky.example'] = {
      '*': ask => {
        const place = `${ask.request.method} ${ask.path}`
        if (tried.has(place)) return answer(ask)
        tried.add(place)
        return ask.request.socket.destroy()
      },
    }
    await testNow(shaky)
    expect((await shaky.read('compliance')).body.status).toBe('passing')
    await shaky.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('report an agent that cannot be reached, and one that requires a credential', async () => {
    const away = await enrolAgent('away.example')
    await testNow(away)
    web.hosts['away.example'] = { '*': ({ request }) => request.socket.destroy() }
    await testNow(away)
    expect((await away.read('compliance')).body).toMatchObject({
      status: 'failing',
      headline: 'the agent cannot be reached',
      verified_badges: [{ role: 'signals', status: 'degraded' }],
    })
    const closed = await enrolAgent('closed.example', { isOpen: false })
    await testNow(closed)
    expect((await closed.read('compliance')).body).toMatchObject({
      status: 'unknown',
      headline: 'the agent requires a credential',
      verified: false,
    })
    expect((await closed.read('compliance/history')).body.runs[0].overall_status).toBe('unknown')
    const partly = await enrolAgent('partly.example', { visibility: 'private' })
    const answer = web.hosts['partly.example']!['*'] as (ask: HostRequest) => unknown
    web.hosts['partly.example'] = {
      '*': ask =>
        ask.body.includes('"get_signals"') ? ask.response.writeHead(401).end() : answer(ask),
    }
    await testNow(partly)
    expect((await partly.read('compliance', partly.key)).body).toMatchObject({
      status: 'unknown',
      headline: 'the agent requires a credential',
      storyboards_total: 0,
    })
    for (const { send } of [away, closed, partly])
      await send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('keep their steps for the organization of the agent alone', async () => {
    const tested = await enrolAgent('diagnosed.example')
    broken.add('diagnosed.example')
    await testNow(tested)
    const { body } = await tested.read('compliance/diagnostics', tested.key)
    const { runs } = (await tested.read('compliance/history')).body
    expect(body).toMatchObject({ agent_url: tested.url, run_id: runs[0].id })
    const failed = body.diagnostics.filter((step: Payload) => step.step_passed === false)
    expect(failed[0]).toMatchObject({
      storyboard_id: 'signal_marketplace',
      task: 'get_signals',
      failed_validations_jsonb: expect.arrayContaining([
        expect.objectContaining({ check: 'field_present', passed: false }),
      ]),
      request_url: tested.url,
      request_jsonb: { signal_spec: expect.any(String) },
      response_status: 200,
      response_headers_jsonb: { 'content-type': 'application/json' },
      response_jsonb: { signals: [] },
      extraction_path: 'structured_content',
      served_by_agent_url: tested.url,
      guidance: {
        rule: expect.stringMatching(/^signal_marketplace\/.+#/),
        expected: expect.any(String),
        fix: expect.any(String),
      },
    })
    const passed = body.diagnostics.find((step: Payload) => step.step_passed)
    expect(passed).not.toHaveProperty('request_jsonb')
    expect(passed).not.toHaveProperty('guidance')
    const some = await tested.read(
      `compliance/diagnostics?limit=2&run_id=${runs[0].id}`,
      tested.key,
    )
    expect(some.body.count).toBe(2)
    const stranger = await registry.createKey('Curious')
    expect((await tested.read('compliance/diagnostics', stranger)).status).toBe(403)
    expect((await tested.read('compliance/diagnostics')).status).toBe(401)
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })
})

it('tells in which parts of the protocol steps were not run because a task is missing', async () => {
  const tested = await enrolAgent('gaps.example')
  await testNow(tested)
  const { track_details } = (await tested.read('compliance')).body
  const skipped = (await tested.read('compliance/diagnostics', tested.key)).body.diagnostics
  expect(skipped.some((step: Payload) => step.step_passed === null)).toBe(true)
  const gaps = track_details.map((detail: Payload) => detail.has_coverage_gap_skip)
  expect(new Set(gaps)).toEqual(new Set([true, false]))
  await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
})

describe('a refresh', () => {
  it('probes the agent and tests it at once, and is marked as such in the history', async () => {
    const tested = await enrolAgent('refreshed.example')
    const { status, body } = await tested.send('POST', 'refresh')
    expect([status, body]).toEqual([
      200,
      {
        online: true,
        tools_count: expect.any(Number),
        response_time_ms: expect.any(Number),
        inferred_type: 'signals',
        type_promoted: false,
        oauth_required: false,
        checked_at: expect.any(String),
        compliance: {
          ran: true,
          run_id: expect.any(String),
          requested_compliance_target: '3.0',
          adcp_version: '3.0.6',
          badge_eligible: true,
          badge_eligible_adcp_versions: ['3.0'],
          overall_status: 'passing',
          storyboards_passing: expect.any(Number),
          storyboards_total: body.compliance.storyboards_passing,
          observations_count: 8,
          notices_count: 0,
        },
      },
    ])
    const { runs } = (await tested.read('compliance/history')).body
    expect(runs).toMatchObject([{ id: body.compliance.run_id, triggered_by: 'manual' }])
    expect((await tested.read('compliance', tested.key)).body.verdict_source).toBe('manual')
    const again = await tested.send('POST', 'refresh')
    expect([again.status, again.body.retry_after]).toEqual([429, expect.any(Number)])
    await tested.send('PUT', 'monitoring/pause', { paused: true })
    expect((await tested.send('POST', 'refresh')).status).toBe(409)
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('says that an agent requires a credential, and fails if the agent cannot be reached', async () => {
    const locked = await enrolAgent('locked.example', { isOpen: false })
    expect((await locked.send('POST', 'refresh')).body).toMatchObject({
      online: true,
      oauth_required: true,
      compliance: { ran: false, error: expect.any(String) },
    })
    const gone = await enrolAgent('gone.example')
    web.hosts['gone.example'] = { '*': ({ request }) => request.socket.destroy() }
    expect((await gone.send('POST', 'refresh')).status).toBe(502)
    for (const { send } of [locked, gone])
      await send('PUT', 'compliance/opt-out', { opt_out: true })
  })
})

test('an organization reads when its agent was called, and others do not', async () => {
  const tested = await enrolAgent('called.example')
  await testNow(tested)
  registry.clock.tick(MINUTE)
  const since = new Date(registry.clock.now()).toISOString()
  await tested.send('POST', 'storyboard/capability_discovery/compare')
  registry.clock.tick(1_000)
  await tested.read('applicable-storyboards', tested.key)
  registry.clock.tick(1_000)
  web.hosts['called.example'] = { '*': ({ request }) => request.socket.destroy() }
  await tested.send('POST', 'storyboard/capability_discovery/step/get_capabilities')
  const { body } = await tested.read('monitoring/requests', tested.key)
  expect(body).toMatchObject({
    agent_url: tested.url,
    requests: [
      { request_type: 'step', success: false, error_message: 'The agent cannot be reached.' },
      { request_type: 'discovery', success: true, error_message: null },
      { request_type: 'comparison', success: true },
      { request_type: 'scheduled_run', success: true },
    ],
    count: 4,
    total: 4,
  })
  expect(body.requests[0].user_agent).toMatch(/^AgenticAdRegistry\/1\.0 \(\+https:/)
  const some = await tested.read(`monitoring/requests?limit=1&since=${since}`, tested.key)
  expect([some.body.count, some.body.total]).toEqual([1, 3])
  const stranger = await registry.createKey('Spy')
  expect((await tested.read('monitoring/requests', stranger)).status).toBe(403)
  await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  expect(await registry.verify()).toEqual([])
})

describe('the credential of an agent', () => {
  it('gives access to it, is stored encrypted, and is never shown', async () => {
    const tested = await enrolAgent('secret.example', { isOpen: false })
    web.hosts['secret.example'] = serveReferenceAgent(agent, {
      damage: payload => ({ ...payload, echoed: `you sent ${TOKEN}` }),
    })
    const none = {
      has_auth: false,
      agent_context_id: null,
      auth_type: null,
      has_oauth_token: false,
      has_valid_oauth: false,
      oauth_token_expires_at: null,
      has_oauth_client_credentials: false,
      saved_at: null,
    }
    expect((await tested.read('auth-status', tested.key)).body).toEqual(none)
    const connected = await tested.send('PUT', 'connect', { auth_token: TOKEN })
    expect(connected.body).toEqual({
      connected: true,
      has_auth: true,
      agent_context_id: expect.any(String),
      auth_type: 'bearer',
      refresh: {
        online: true,
        tools_count: expect.any(Number),
        response_time_ms: expect.any(Number),
        inferred_type: 'signals',
        type_promoted: false,
        oauth_required: false,
        checked_at: expect.any(String),
        compliance: { ran: false, error: expect.stringContaining('POST …/refresh') },
      },
    })
    await testNow(tested)
    // The agent repeats its credential in each answer, which no agent may.
    expect((await tested.read('compliance')).body.status).toBe('failing')
    const run = await tested.send('POST', 'storyboard/capability_discovery/run')
    expect(run.status).toBe(200)
    const stranger = await registry.createKey('Nosy')
    expect((await tested.read('auth-status', stranger)).body).toEqual(none)
    const shown = [
      connected.body,
      run.body,
      (await tested.read('auth-status', tested.key)).body,
      (await tested.read('compliance/diagnostics', tested.key)).body,
      await listRows('agent_credentials', 'storyboard_diagnostics', 'submissions'),
    ]
    expect(JSON.stringify(shown)).not.toContain(TOKEN)
    expect(JSON.stringify(await listRows('submissions'))).not.toContain('v1.')
    expect(await readFiles()).not.toContain(TOKEN)
    expect(await registry.verify()).toEqual([])
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  it('is replaced, deleted, and gone with the agent', async () => {
    const tested = await enrolAgent('replaced.example', { isOpen: false, visibility: 'private' })
    const before = await tested.send('PUT', 'connect', {})
    expect([before.status, before.body]).toEqual([
      200,
      {
        connected: true,
        has_auth: false,
        agent_context_id: expect.any(String),
        auth_type: null,
      },
    ])
    const wrong = await tested.send('PUT', 'connect', { auth_token: 'wrong-token' })
    expect(wrong.body).toMatchObject({
      has_auth: true,
      refresh: {
        online: true,
        oauth_required: true,
        tools_count: null,
        error: 'the agent refuses the credential that it was given',
      },
    })
    expect((await tested.send('PUT', 'connect', {})).body).toMatchObject({
      has_auth: true,
      auth_type: 'bearer',
      agent_context_id: before.body.agent_context_id,
    })
    await tested.send('PUT', 'connect', { auth_token: 'me:secret-word', auth_type: 'basic' })
    expect((await tested.read('auth-status', tested.key)).body).toMatchObject({
      has_auth: true,
      auth_type: 'basic',
    })
    expect((await tested.send('DELETE', 'connect')).status).toBe(204)
    expect((await tested.send('DELETE', 'connect')).status).toBe(404)
    expect((await tested.read('auth-status', tested.key)).body.has_auth).toBe(false)
    await tested.send('PUT', 'connect', { auth_token: TOKEN })
    await registry.submit({ op: 'member.agent.remove', org: 'replaced.example', url: tested.url })
    const rows = await registry.sequencer.accounts.db.all(
      'select sealed from agent_credentials where agent_url = $url',
      { url: tested.url },
    )
    expect(rows).toEqual([{ sealed: null }])
  })

  it('may be client credentials, with which a token is requested before each run', async () => {
    const secret = 'a secret & more'
    const asked: { authorization: string | undefined; form: Record<string, string> }[] = []
    const tested = await enrolAgent('issued.example', { isOpen: false })
    web.hosts['tokens.example'] = {
      '/token': ({ request, response, body }) => {
        const form = Object.fromEntries(new URLSearchParams(body))
        asked.push({ authorization: request.headers.authorization, form })
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ access_token: TOKEN, token_type: 'Bearer', expires_in: 60 }))
      },
      '/refuse': ({ response, body }) => {
        response.writeHead(401, { 'content-type': 'application/json' })
        const error_description = `unknown: ${new URLSearchParams(body).get('client_secret')}`
        response.end(JSON.stringify({ error: 'invalid_client', error_description }))
      },
      '/odd': { token: 'none' },
    }
    const payload = {
      token_endpoint: 'https://tokens.example/token',
      client_id: 'registry',
      client_secret: secret,
      scope: 'sell buy',
      resource: ['https://issued.example/', 'https://other.example/'],
    }
    const path = 'oauth-client-credentials'
    expect((await tested.send('POST', `${path}/test`)).status).toBe(404)
    const saved = await tested.send('PUT', path, payload)
    expect(saved.body).toEqual({
      connected: true,
      has_auth: true,
      agent_context_id: expect.any(String),
      auth_type: 'oauth_client_credentials',
      refresh: expect.objectContaining({ online: true, oauth_required: false }),
    })
    const status = await tested.read('auth-status', tested.key)
    expect(status.body).toMatchObject({
      has_auth: true,
      auth_type: 'oauth_client_credentials',
      has_oauth_client_credentials: true,
      has_oauth_token: false,
      agent_context_id: saved.body.agent_context_id,
    })
    const proven = await tested.send('POST', `${path}/test`)
    expect(proven.body).toEqual({ ok: true, latency_ms: expect.any(Number) })
    await testNow(tested)
    expect((await tested.read('compliance')).body.status).toBe('passing')
    const basic = Buffer.from('registry:a+secret+%26+more').toString('base64')
    expect(asked).toHaveLength(3)
    expect(asked[0]).toEqual({
      authorization: `Basic ${basic}`,
      form: {
        grant_type: 'client_credentials',
        scope: 'sell buy',
        resource: 'https://other.example/',
      },
    })
    const inBody = {
      ...payload,
      auth_method: 'body',
      token_endpoint: 'https://tokens.example/refuse',
    }
    await tested.send('PUT', path, inBody)
    const refused = await tested.send('POST', `${path}/test`)
    expect(refused.body).toMatchObject({
      ok: false,
      error: {
        kind: 'oauth',
        oauth_error: 'invalid_client',
        oauth_error_description: 'unknown: [redacted]',
        http_status: 401,
      },
    })
    const run = await tested.send('POST', 'storyboard/capability_discovery/run')
    expect([run.status, run.body]).toMatchObject([
      422,
      { needs_oauth: true, error: 'The token endpoint refused: invalid_client.' },
    ])
    await testNow(tested)
    expect((await tested.read('compliance')).body).toMatchObject({
      status: 'unknown',
      headline: 'the agent requires a credential',
    })
    await tested.send('PUT', path, { ...payload, token_endpoint: 'https://tokens.example/odd' })
    const odd = await tested.send('POST', `${path}/test`)
    expect(odd.body).toMatchObject({ ok: false, error: { kind: 'malformed', http_status: 200 } })
    await tested.send('PUT', path, {
      ...payload,
      token_endpoint: 'https://nowhere.example:1/token',
    })
    const shown = [saved.body, status.body, proven.body, refused.body, run.body, odd.body]
    expect(JSON.stringify(shown)).not.toContain(secret)
    expect(await readFiles()).not.toContain(secret)
    await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  })

  const valid = {
    token_endpoint: 'https://t.example/token',
    client_id: 'a',
    client_secret: 'long-enough',
  }
  it.each<[string, string, unknown]>([
    ['invalid_blob_shape', 'oauth_client_credentials', 'text'],
    ['missing_field', 'client_secret', { ...valid, client_secret: undefined }],
    ['missing_field', 'client_id', { ...valid, client_id: '' }],
    ['missing_field', 'client_secret', { ...valid, client_secret: '' }],
    ['field_too_short', 'client_secret', { ...valid, client_secret: 'seven77' }],
    ['invalid_field_type', 'client_id', { ...valid, client_id: 7 }],
    ['field_too_long', 'scope', { ...valid, scope: 'x'.repeat(1_025) }],
    ['field_too_long', 'client_secret', { ...valid, client_secret: 'x'.repeat(8_193) }],
    ['invalid_url', 'token_endpoint', { ...valid, token_endpoint: 'http://t.example/token' }],
    ['invalid_url', 'token_endpoint', { ...valid, token_endpoint: 'https://localhost/token' }],
    ['invalid_url', 'token_endpoint', { ...valid, token_endpoint: 'https://169.254.169.254/' }],
    ['invalid_url', 'token_endpoint', { ...valid, token_endpoint: 'https://a:b@t.example/' }],
    ['invalid_env_reference', 'client_secret', { ...valid, client_secret: '$ENV:SECRET' }],
    ['invalid_auth_method_value', 'auth_method', { ...valid, auth_method: 'jwt' }],
    ['invalid_field_type', 'resource', { ...valid, resource: 7 }],
    ['array_too_few', 'resource', { ...valid, resource: [] }],
    ['array_too_many', 'resource', { ...valid, resource: Array(9).fill('https://r.example/') }],
    ['aggregate_too_long', 'resource', { ...valid, resource: Array(5).fill('x'.repeat(2_000)) }],
  ])('is refused with %s of %s', async (code, field, payload) => {
    const url = 'https://t.example/mcp'
    refused ??= await enrol(registry, { org: 'Refused', agents: [{ url }] })
    const answer = await registry.send(
      'PUT',
      `/api/registry/agents/${encodeURIComponent(url)}/oauth-client-credentials`,
      {
        key: refused,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(payload),
      },
    )
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { code, field }])
  })
  let refused: string | undefined

  it.each([
    ['bearer', 'seven77'],
    ['basic', 'a-long-name:pass'],
  ])('is refused as %s if it is too short to be hidden: %s', async (auth_type, auth_token) => {
    const url = 'https://short.example/mcp'
    tooShort ??= await enrol(registry, { org: 'Short', agents: [{ url }] })
    const answer = await registry.send(
      'PUT',
      `/api/registry/agents/${encodeURIComponent(url)}/connect`,
      { key: tooShort, payload: { auth_type, auth_token } },
    )
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      'The secret must have at least 8 characters.',
    ])
  })
  let tooShort: string | undefined

  it('is refused with an explanation if the operator has set no key', async () => {
    const strict = await web.open()
    const key = await enrol(strict, { org: 'Keyless', agents: [{ url: 'https://k.example/mcp' }] })
    const answer = await strict.send(
      'PUT',
      `/api/registry/agents/${encodeURIComponent('https://k.example/mcp')}/connect`,
      { key, payload: { auth_token: 'secret-word' } },
    )
    expect([answer.statusCode, answer.json().error]).toEqual([
      503,
      'This registry accepts no credentials: its operator has set no key.',
    ])
  })
})

describe('badges', () => {
  let tested: Enrolled

  beforeAll(async () => {
    tested = await enrolAgent('badge.example')
    await testNow(tested)
  })

  it('are earned by a full run, and reported in the feed', async () => {
    expect((await tested.read('verification')).body).toMatchObject({
      agent_url: tested.url,
      verified: true,
      badges: [
        {
          role: 'signals',
          adcp_version: '3.0',
          status: 'active',
          verified_specialisms: ['signal-marketplace', 'signal-owned'],
          verification_modes: ['spec'],
          verified_protocol_version: '3.0.6',
        },
      ],
      registry_url: `https://registry.example/api/registry/agents/${encodeURIComponent(tested.url)}/verification`,
    })
    expect(await listEvents(tested.url)).toMatchObject([
      {
        event_type: 'agent.compliance_changed',
        actor: 'pipeline:compliance-heartbeat',
        payload: {
          previous_status: 'unknown',
          current_status: 'passing',
          compliance_summary: { status: 'passing', lifecycle_stage: 'production', streak_days: 0 },
        },
      },
      {
        event_type: 'agent.verification_earned',
        payload: { role: 'signals', adcp_version: '3.0', badge_requalification_generation: '0' },
      },
    ])
  })

  it('are shown in the lists of agents', async () => {
    await registry.publish()
    const list = async (query: string) =>
      (await registry.app.inject(`/api/registry/agents?${query}`)).json().agents
    const [found] = await list('verified=true&compliance=true')
    expect(found).toMatchObject({
      url: tested.url,
      compliance: {
        status: 'passing',
        verified: true,
        verified_roles: ['signals'],
        verified_role_versions: { signals: ['3.0'] },
        monitoring_paused: false,
      },
    })
    expect(await list('verification_mode=spec')).toHaveLength(1)
    expect(await list('verification_mode=live')).toEqual([])
  })

  it('come with the number and the list of agents that pass each storyboard', async () => {
    const { results } = (await registry.app.inject('/api/storyboards/signal_owned')).json()
    const mine = results.agents.find((row: Payload) => row.agent_url === tested.url)
    expect(mine).toMatchObject({ status: 'passing', last_checked_at: expect.any(String) })
    expect([results.agents_passing, results.agents_tested]).toEqual([
      results.agents.filter((row: Payload) => row.status === 'passing').length,
      results.agents.length,
    ])
    const { storyboards } = (await registry.app.inject('/api/storyboards')).json()
    const listed = storyboards.find((row: Payload) => row.id === 'signal_owned')
    expect(listed).toMatchObject({ agents_passing: results.agents_passing })
    const page = (await registry.app.inject('/storyboard/signal_owned')).body
    expect(page).toContain('badge.example')
    expect((await registry.app.inject('/storyboards')).body).toMatch(/\d of \d+ agents?/)
  })

  it('are self-contained pictures, with a text that says what they show', async () => {
    const path = `/api/registry/agents/${encodeURIComponent(tested.url)}/badge/signals`
    const get = (url: string, headers = {}) => registry.app.inject({ url, headers })
    const answer = await get(`${path}.svg`)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=0, s-maxage=0, must-revalidate',
    })
    expect(answer.headers['content-security-policy']).toBe("default-src 'none'")
    expect(answer.body).toContain('<title>Signals agent: verified</title>')
    expect(answer.body.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|href|<script/,
    )
    const etag = String(answer.headers.etag)
    expect((await get(`${path}.svg`, { 'if-none-match': etag })).statusCode).toBe(304)
    expect((await get(`${path}/3.0.svg`)).body).toContain('verified for version 3.0</title>')
    expect((await get(`${path}/2.5.svg`)).body).toContain('not verified</title>')
    expect((await get(`${path}/x.svg`)).statusCode).toBe(400)
    const unknown = await get(path.replace('/signals', '/none.svg'))
    expect([unknown.statusCode, unknown.json()]).toMatchObject([
      400,
      { error: expect.any(String), code: 'invalid_role', valid_roles: [...badgeRoles] },
    ])
  })

  it('are embedded by HTML and Markdown that are escaped', async () => {
    const { body } = await tested.read('badge/signals/embed')
    expect(body).toMatchObject({ role: 'signals', verified: true })
    expect(body.html).toBe(
      `<a href="${body.registry_url}"><img src="${body.badge_svg_url}" alt="Signals agent: verified" height="24"></a>`,
    )
    expect(body.markdown).toBe(
      `[![Signals agent: verified](${body.badge_svg_url})](${body.registry_url})`,
    )
    const odd = encodeURIComponent(`https://odd.example/a'(b)"<i>`)
    const strange = await registry.app.inject(`/api/registry/agents/${odd}/badge/signals/3.0/embed`)
    const { html, markdown, adcp_version, verified } = strange.json()
    expect([adcp_version, verified]).toEqual(['3.0', false])
    expect(html).not.toMatch(/'|<i>/)
    expect(markdown).not.toMatch(/\(b\)/)
  })

  it('are tokens that anybody with the public keys can verify', async () => {
    const { body } = await tested.read('badge/signals/token')
    const { keys } = (await registry.app.inject('/api/.well-known/jwks.json')).json()
    const { payload } = await jwtVerify(body.token, createLocalJWKSet({ keys }), {
      currentDate: new Date(registry.clock.now()),
    })
    expect(payload).toMatchObject({
      iss: 'https://registry.example',
      sub: tested.url,
      role: 'signals',
      adcp_version: '3.0',
    })
    expect(await check(body.token)).toMatchObject({ valid: true, agent_url: tested.url })
    const forged = `${body.token.slice(0, -8)}AAAAAAAA`
    expect(await check(forged)).toEqual({ valid: false, reason: 'not_signed_here' })
    expect(await check('no.token.here')).toEqual({ valid: false, reason: 'not_signed_here' })
  })

  it('degrade while the agent fails, and are lost after 48 hours', async () => {
    const { token } = (await tested.read('badge/signals/token')).body
    broken.add('badge.example')
    await testNow(tested)
    expect((await tested.read('verification')).body.badges).toMatchObject([{ status: 'degraded' }])
    const { notices, declared_specialisms } = (await tested.read('compliance')).body
    const guide = '/docs/guides/agent-operator'
    expect(notices).toMatchObject([
      { code: 'badge_degraded', effective_version: '3.0', reference_url: guide },
      ...declared_specialisms.map((name: string, at: number) => ({
        code: 'specialism_failing',
        capability_path: 'specialisms',
        capability_pointer: `/specialisms/${at}`,
        requirement: `every storyboard of ${name} passes, or the claim is withdrawn`,
        reference_url: guide,
      })),
    ])
    expect((await registry.app.inject(guide)).statusCode).toBe(200)
    const svg = (await tested.read('badge/signals.svg')).body
    expect(svg).toContain('<title>Signals agent: verified, failing now</title>')
    expect(await check(token)).toMatchObject({ valid: true })
    registry.clock.tick(36 * HOUR)
    expect(await check(token)).toMatchObject({ valid: false, reason: 'expired' })
    registry.clock.tick(12 * HOUR)
    expect((await tested.read('verification')).body).toMatchObject({ verified: false, badges: [] })
    await testNow(tested)
    const events = (await listEvents(tested.url)).map(({ event_type, payload }) => [
      event_type,
      payload.current_status ?? payload.reason ?? payload.role,
    ])
    expect(events).toEqual([
      ['agent.compliance_changed', 'passing'],
      ['agent.verification_earned', 'signals'],
      ['agent.compliance_changed', 'degraded'],
      ['agent.verification_lost', expect.stringMatching(/expired|not_passing/)],
    ])
    expect((await tested.read('badge/signals/token')).status).toBe(404)
    broken.delete('badge.example')
    await testNow(tested)
    expect((await tested.read('verification')).body.verified).toBe(true)
  })

  it('expire when the agent is not tested anymore', async () => {
    await tested.send('PUT', 'monitoring/pause', { paused: true })
    registry.clock.tick(3 * INTERVAL)
    expect((await tested.read('verification')).body.verified).toBe(false)
    await testDue()
    expect((await listEvents(tested.url)).at(-1)).toMatchObject({
      event_type: 'agent.verification_lost',
      payload: { reason: 'expired' },
    })
    await tested.send('PUT', 'monitoring/pause', { paused: false })
    await testNow(tested)
    expect((await tested.read('verification')).body.verified).toBe(true)
  })

  it('end with an opt-out, and come back with a full run that passes', async () => {
    const out = await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
    expect(out.body).toMatchObject({
      compliance_opt_out: true,
      badge_requalification_required: true,
    })
    expect((await tested.read('compliance')).body).toMatchObject({
      status: 'opted_out',
      compliance_opt_out: true,
      storyboard_statuses: [],
      verified_badges: [],
    })
    expect((await tested.read('compliance/history')).body.runs).toEqual([])
    const [changed, lost] = (await listEvents(tested.url)).slice(-2)
    expect([changed, lost]).toMatchObject([
      { payload: { current_status: 'opted_out', compliance_summary: { status: 'opted_out' } } },
      { payload: { reason: 'opted_out', badge_requalification_generation: '1' } },
    ])
    await tested.send('PUT', 'compliance/opt-out', { opt_out: false })
    const single = await tested.send('POST', 'storyboard/signals_baseline/run')
    expect(single.status).toBe(200)
    expect((await tested.read('verification')).body.verified).toBe(false)
    await testNow(tested)
    expect((await tested.read('verification')).body.verified).toBe(true)
    expect((await tested.read('compliance')).body.badge_requalification_required).toBe(false)
  })

  it('end when the agent is hidden, which the feed reports', async () => {
    await registry.submit({
      op: 'member.agent.save',
      org: 'badge.example',
      url: tested.url,
      visibility: 'private',
    })
    await registry.reader.refresh()
    expect((await tested.read('verification')).body).toMatchObject({ verified: false, badges: [] })
    expect((await listEvents(tested.url)).slice(-2)).toMatchObject([
      { payload: { current_status: 'unknown' } },
      { payload: { reason: 'not_public' } },
    ])
    expect(await registry.verify()).toEqual([])
  })

  it('survive a restart and a rebuild of the stores', async () => {
    const acmeAgent = await enrolAgent('kept.example')
    await testNow(acmeAgent)
    const before = (await acmeAgent.read('compliance', acmeAgent.key)).body
    await registry.rebuild()
    expect((await acmeAgent.read('compliance', acmeAgent.key)).body).toEqual(before)
    expect(await registry.verify()).toEqual([])
  })
})

test('agent search summarizes test results', async () => {
  const tested = await enrolAgent('searched.example')
  await testNow(tested)
  const seller = { sites: ['seller.example'], agents: [tested.url] }
  await registry.observe(observePublisherFile('seller.example', seller))
  await registry.publish()
  const search = async () => {
    const headers = { authorization: `Bearer ${tested.key}` }
    const answer = await registry.app.inject({ url: '/api/registry/agents/search', headers })
    return answer.json().results.find(({ agent_url }: Payload) => agent_url === tested.url)
  }
  expect((await search()).compliance_summary).toEqual({
    status: 'passing',
    lifecycle_stage: 'production',
    tracks: {
      core: 'pass',
      error_handling: 'pass',
      security: 'pass',
      security_transport: 'skip',
      signals: 'pass',
    },
    streak_days: 0,
    last_checked_at: expect.any(String),
    headline: expect.stringMatching(/^\d+ of \d+ storyboards pass$/),
    verified: true,
    verified_roles: ['signals'],
  })
  await tested.send('PUT', 'compliance/opt-out', { opt_out: true })
  await registry.publish()
  expect((await search()).compliance_summary).toMatchObject({ status: 'opted_out' })
})

test('an agent of another organization cannot be set up by one that enrolled it too', async () => {
  const owner = await enrolAgent('contested.example')
  const intruder = await enrol(registry, {
    org: 'Intruder',
    tier: 'company_standard',
    agents: [{ url: owner.url }],
  })
  const answer = await registry.send(
    'PUT',
    `/api/registry/agents/${encodeURIComponent(owner.url)}/compliance/opt-out`,
    { key: intruder, payload: { opt_out: true } },
  )
  expect([answer.statusCode, answer.json().error]).toEqual([
    403,
    'Another organization answers for this agent.',
  ])
})

async function check(token: string): Promise<Payload> {
  const answer = await registry.send('POST', '/api/registry/badges/verify', { payload: { token } })
  return answer.json()
}

/** Lists all rows of private tables. */
async function listRows(...tables: string[]): Promise<unknown[]> {
  const { db } = registry.sequencer.accounts
  return Promise.all(tables.map(table => db.all(`select * from ${table}`)))
}

/** Reads every file that the registry has written, as text. */
async function readFiles(): Promise<string> {
  const { DATA_DIR } = registry.config
  const names = readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' })
  const files = names.map(name => join(DATA_DIR, name)).filter(name => statSync(name).isFile())
  return files.map(name => readFileSync(name, 'latin1')).join('\n')
}
