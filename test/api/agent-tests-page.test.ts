import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { outcomes } from '../../pipeline/core/outcomes.ts'
import type { StepDiagnostic } from '../../pipeline/model/storyboards/step-diagnostic.ts'
import { enterDashboard, openWithSignIn, type TestBrowser } from '../support/clients/signing-in.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildSuite } from '../support/fixtures/suites.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const URL = 'https://sales.acme.example/mcp'
const SAME_SITE = { 'sec-fetch-site': 'same-origin' }

const registry = openForAll(openWithSignIn)
let ann: TestBrowser
let bob: TestBrowser
let acme: string

beforeAll(async () => {
  ann = await enterDashboard(registry, 'ann@acme.example')
  bob = await enterDashboard(registry, 'bob@other.example')
  await send(ann, '/dashboard/organizations', { name: 'Acme' })
  await send(bob, '/dashboard/organizations', { name: 'Other' })
  acme = load((await ann.get('/dashboard')).body)('tbody a')
    .attr('href')!
    .split('/')[3]!
  const form = { org: acme, url: URL, type: 'sales', visibility: 'private' }
  expect((await send(ann, '/dashboard/agents', form)).statusCode).toBe(303)
})

async function send(browser: TestBrowser, url: string, form: Record<string, string> = {}) {
  const form_token = load((await browser.get('/dashboard')).body)('input[name=form_token]')
    .first()
    .val() as string
  return browser.post(url, { form_token, ...form }, SAME_SITE)
}

const path = (more = '') => `/dashboard/org/${acme}/agents/tests${more}`
const toPage = (more: Record<string, string> = {}) =>
  path(`?${new URLSearchParams({ url: URL, ...more })}`)

const failed: StepDiagnostic = {
  storyboard_id: 'signal_owned',
  phase_id: 'discovery',
  step_id: 'search_signals',
  task: 'get_signals',
  step_passed: false,
  duration_ms: 5,
  error_text: null,
  failed_validations: [],
  exchange: {
    request: { url: URL, operation: 'get_signals', payload: { signal_spec: '<b>late</b>' } },
    response_record: { status: 200, headers: {}, payload: { signals: [] } },
    extraction: { path: 'structured_content' },
  },
  guidance: {
    rule: 'signal_owned/search_signals#field_present',
    sentence: 'Signals are found',
    expected: 'A list of signals with:\n- an ID\n- a name',
    reference_url: 'https://docs.example/signals',
    fix: 'Return signals[0].signal_id.',
  },
}

test('the page of an agent that was never tested offers to test it', async () => {
  const list = load((await ann.get(`/dashboard/org/${acme}/agents`)).body)
  expect(list('tbody a:contains(Results)').attr('href')).toBe(toPage())
  const page = load((await ann.get(toPage())).body)
  expect(page('h1').text()).toBe('Test results for sales.acme.example')
  expect(page('.facts').text()).toContain('not yet; the first test starts within 5 minutes')
  expect(page('#storyboards')).toHaveLength(0)
  expect(page('form[action$="/tests/run"] input[name=since]').val()).toBe('never')
  expect((await ann.get(toPage())).headers.refresh).toBeUndefined()
})

test('a test on request renews the page until its result is there', async () => {
  const started = await send(ann, path('/run'), { url: URL, since: 'never' })
  expect([started.statusCode, started.headers.location]).toEqual([303, toPage({ since: 'never' })])
  const waiting = await ann.get(toPage({ since: 'never' }))
  expect(waiting.headers.refresh).toBe('5')
  expect(load(waiting.body)('.notice').text()).toContain('being tested')
  const again = await send(ann, path('/run'), { url: URL, since: 'never' })
  expect(again.statusCode).toBe(400)
  expect(load(again.body)('.notice.bad').text()).not.toBe('')
  await registry.submit({
    ...buildSuite({ agent_url: URL, org_id: acme, at: registry.clock.now(), status: 'partial' }),
    diagnostics: [failed, { ...failed, step_id: 'activate' }],
  })
  await registry.reader.refresh()
  const done = await ann.get(toPage({ since: 'never' }))
  expect(load(done.body)('.notice').text().trim()).toBe('The test is finished: 1 failed, 0 passed.')
  expect(done.headers.refresh).toBeUndefined()
})

test('a failed step shows what was broken, what to change, what was sent and what came', async () => {
  const page = load((await ann.get(toPage())).body)
  const steps = page('#failed details')
  expect(steps).toHaveLength(2)
  expect([steps.eq(0).attr('open'), steps.eq(1).attr('open')]).toEqual(['open', undefined])
  expect(page('#failed h3').first().text()).toBe(failed.guidance!.fix)
  expect(page('#failed > h3')).toHaveLength(1)
  const text = page('#failed').text()
  expect(steps.eq(1).find('summary').text().trim()).toMatch(/: Activate$/)
  const { expected: _, reference_url, ...shown } = failed.guidance!
  for (const part of Object.values(shown)) expect(text).toContain(part)
  expect(steps.eq(0).find('.facts li').text()).toBe('an IDa name')
  expect(text).toContain('"signal_spec": "<b>late</b>"')
  expect(text).toContain('"signals": []')
  expect(steps.eq(0).find('.sides').children()).toHaveLength(2)
  expect(steps.eq(0).find(`a[href="${reference_url}"]`)).toHaveLength(1)
  expect(page('.sides b')).toHaveLength(0)
})

test('a comparison that cannot be made says why', async () => {
  const refused = await send(ann, path('/compare'), { url: URL, storyboard: 'signal_owned' })
  expect(refused.statusCode).toBe(400)
  expect(load(refused.body)('.notice.bad').text()).not.toBe('')
  const unknown = await send(ann, path('/compare'), { url: URL, storyboard: '../x' })
  expect(load(unknown.body)('.notice.bad').text()).toContain('no storyboard')
})

test('many failed steps share the room of the page', async () => {
  const signals = Array.from({ length: 300 }, (_, i) => ({ signal_id: `"${i}"` }))
  const exchange = { ...failed.exchange!, response_record: { status: 200, payload: { signals } } }
  const steps = Array.from({ length: 30 }, (_, i) => ({
    ...failed,
    step_id: `step_${i}`,
    exchange,
  }))
  registry.clock.tick(1_000)
  await registry.submit({
    ...buildSuite({ agent_url: URL, org_id: acme, at: registry.clock.now(), status: 'partial' }),
    diagnostics: steps as StepDiagnostic[],
  })
  await registry.reader.refresh()
  const { body } = await ann.get(toPage())
  const page = load(body)
  expect(page('#failed details')).toHaveLength(20)
  expect(page('#failed').text()).toContain('And 10 more steps.')
  expect(page('#failed details').last().text()).toContain('"signals"')
  expect(Buffer.byteLength(body)).toBeLessThan(80_000)
})

test('an agent whose tests are stopped says so, and never waits for a result', async () => {
  const last = load((await ann.get(toPage())).body)('input[name=since]').val() as string
  const change = { op: 'monitoring.change', agent_url: URL, org_id: acme } as const
  for (const [stop, resume, since, text] of [
    [{ paused: true }, { paused: false }, last, 'paused'],
    [{ opt_out: true }, { opt_out: false }, 'never', 'opted this agent out'],
  ] as const) {
    await registry.submit({ ...change, ...stop })
    await registry.reader.refresh()
    const answer = await ann.get(toPage({ since }))
    const page = load(answer.body)
    expect(page('.notice').text()).toContain(text)
    expect(page('form[action$="/tests/run"]')).toHaveLength(0)
    expect(answer.headers.refresh).toBeUndefined()
    await registry.submit({ ...change, ...resume })
  }
})

test('an agent that was never reached has no list of results', async () => {
  const url = 'https://dead.acme.example/mcp'
  await send(ann, '/dashboard/agents', { org: acme, url, type: 'sales', visibility: 'private' })
  const at = registry.clock.now()
  await registry.submit(buildSuite({ agent_url: url, org_id: acme, at, outcome: 'unreachable' }))
  const sites = ['dead.acme.example']
  await registry.observe(observePublisherFile('dead.acme.example', { sites, agents: [url] }))
  await registry.observe({ kind: 'agent', location: url, outcome: 'http_error' })
  await registry.reader.refresh()
  const page = load((await ann.get(path(`?${new URLSearchParams({ url })}`))).body)
  expect(
    page('.facts')
      .text()
      .match(/the agent cannot be reached/g),
  ).toHaveLength(1)
  expect(page('.facts').text()).toContain(outcomes.http_error.means)
  expect(page('#storyboards')).toHaveLength(0)
})

test('people of other organizations see nothing of it', async () => {
  expect((await bob.get(toPage())).statusCode).toBe(404)
  expect((await send(bob, path('/run'), { url: URL })).statusCode).toBe(404)
  const others = load((await bob.get('/dashboard')).body)('tbody a')
    .attr('href')!
    .split('/')[3]!
  const at = `/dashboard/org/${others}/agents/tests?${new URLSearchParams({ url: URL })}`
  const answer = await bob.get(at)
  expect(answer.statusCode).toBe(403)
  expect(answer.body).not.toContain('search_signals')
  for (const url of ['', 'x', 'https://127.0.0.1/mcp']) {
    const bad = await ann.get(path(`?${new URLSearchParams({ url })}`))
    expect(bad.statusCode).toBeGreaterThanOrEqual(400)
    expect(bad.statusCode).toBeLessThan(500)
  }
})
