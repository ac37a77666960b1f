import { load } from 'cheerio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import {
  enterDashboard,
  openWithSignIn,
  type SignInRegistry,
  sendForm,
  type TestBrowser,
} from '../support/clients/signing-in.ts'
import { buildSuite } from '../support/fixtures/suites.ts'
import { buildMemberOperations } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'
import { startReferenceAgent, TOKEN } from '../support/servers/reference-agent.ts'
import { serveReferenceAgent } from '../support/servers/storyboards.ts'

const MINE = 'https://mine.example/sales/mcp'
const WRONG = 'wrong-token-of-mine'

const agent = openForAll(() => startReferenceAgent(systemClock))
let web: LiveWeb
let registry: SignInRegistry
let ann: TestBrowser
let org: string

beforeAll(async () => {
  const settings = {
    PROTOCOL_NAME: 'adcp',
    CREDENTIALS_KEY: Buffer.alloc(32, 3).toString('base64'),
  }
  const hosts = {
    'mine.example': serveReferenceAgent(agent),
    'login.mine.example': { '/token': { error: 'invalid_client' } },
  }
  web = await openLiveWeb(hosts, {}, settings)
  const { requestLive, runStoryboard } = web.writer
  registry = await openWithSignIn({
    redis: web.redis.redis,
    settings,
    writer: { requestLive, runStoryboard },
  })
  ann = await enterDashboard(registry, 'ann@mine.example')
  await sendForm(ann, '/dashboard/organizations', { name: 'Mine' })
  org = load((await ann.get('/dashboard')).body)('tbody a')
    .attr('href')!
    .split('/')[3]!
  const agents = [{ url: MINE }]
  await registry.submit(...buildMemberOperations({ org, domains: ['mine.example'], agents }))
  await registry.reader.refresh()
})
afterAll(async () => {
  await registry?.close()
  await web?.close()
})

const toPath = (more = '') => `/dashboard/org/${org}/agents/tests${more}`
const readPage = async () => load((await ann.get(toPath(`?url=${encodeURIComponent(MINE)}`))).body)
const send = (form: string, fields: Record<string, string> = {}) =>
  sendForm(ann, toPath(`/${form}`), { url: MINE, ...fields })
const failed = {
  storyboard_id: 'signal_owned',
  phase_id: 'discovery',
  step_id: 'search_signals',
  task: 'get_signals',
  step_passed: false,
  duration_ms: 5,
  error_text: null,
  failed_validations: [],
}
const readSection = async () => (await readPage())('#credential').text()

async function expectRefused(form: string, fields: Record<string, string>) {
  const answer = await send(form, fields)
  expect(answer.statusCode).toBe(400)
  return load(answer.body)
}

test('an agent that requires a credential shows the form that saves one beside the button that tests it', async () => {
  const before = await readPage()
  expect([before('.notice').length, before('#credential').attr('open')]).toEqual([0, undefined])
  const at = registry.clock.now()
  const suite = { agent_url: MINE, org_id: org, at, outcome: 'auth_required' } as const
  await registry.submit(buildSuite(suite))
  await registry.reader.refresh()
  const page = await readPage()
  expect(page('.notice + #credential').attr('open')).toBe('open')
  expect(page('#credential form[action$="/tests/token"] [type=password]')).toHaveLength(1)
  expect(page('form[action$="/disconnect"]')).toHaveLength(0)
})

test('a run whose calls were refused leads there too, until a credential is saved', async () => {
  registry.clock.tick(1_000)
  const at = registry.clock.now()
  const suite = buildSuite({ agent_url: MINE, org_id: org, at, status: 'partial' })
  const refusal = {
    expected: 'the task is carried out',
    actual: 'the task was refused with AUTH_X',
  }
  const check = { check: 'success', passed: false, description: 'It is carried out', ...refusal }
  await registry.submit({
    ...suite,
    diagnostics: [{ ...failed, failed_validations: [check] }],
  })
  await registry.reader.refresh()
  const page = await readPage()
  expect(page('.notice').text()).toContain('Save one, then test again')
  expect(page('#credential').attr('open')).toBe('open')
  expect(page('.facts').text()).toContain('Badges need a higher tier (see Usage)')
})

test('a token that is too short is refused in words, and nothing is saved', async () => {
  const page = await expectRefused('token', { auth_type: 'basic', auth_token: 'me:short' })
  expect(page('[role=alert]').text()).toContain('The secret must have at least')
  expect(page('#auth_type option[selected]').val()).toBe('basic')
  expect(page('#auth_token').attr('value')).toBeUndefined()
  expect(await readSection()).toContain('Credential: none')
})

test('a token is tried at once, replaced and removed, and never shown', async () => {
  const tried = await expectRefused('token', { auth_type: 'bearer', auth_token: WRONG })
  expect(tried('[role=alert]').text()).toContain('The credential is saved, but the agent')
  expect(tried('.notice.fair')).toHaveLength(0)
  expect(tried.html()).not.toContain(WRONG)

  const replaced = await send('token', { auth_type: 'bearer', auth_token: ` ${TOKEN} ` })
  expect(replaced.statusCode, replaced.body).toBe(303)
  const shown = await ann.get(replaced.headers.location as string)
  expect(load(shown.body)('[role=status]').text()).toContain('Credential saved.')
  expect(await readSection()).toContain('Credential: bearer token; not tested yet')
  expect(shown.body).not.toContain(TOKEN)
  registry.clock.tick(1_000)
  const at = registry.clock.now()
  const suite = buildSuite({ agent_url: MINE, org_id: org, at })
  await registry.submit({ ...suite, diagnostics: [{ ...failed, step_passed: true }] })
  await registry.reader.refresh()
  expect(await readSection()).toContain('bearer token; not refused in the last test')

  expect((await send('disconnect')).headers.location).toMatch(/&done=credential_removed$/)
  expect(await readSection()).toContain('Credential: none')
})

test('client credentials are refused by the field that is wrong, and kept otherwise', async () => {
  const client = { client_id: 'registry', client_secret: 'a long client secret' }
  const wrong = { ...client, token_endpoint: 'http://login.mine.example/', scope: 'read' }
  const page = await expectRefused('client-credentials', { ...wrong, auth_method: 'body' })
  expect(page('[role=alert]').text()).toContain('isn’t an https URL on the public internet.')
  expect(page('details:has(#client_id)').attr('open')).toBe('open')
  expect(['client_id', 'scope', 'auth_method'].map(name => page(`#${name}`).val())).toEqual([
    'registry',
    'read',
    'body',
  ])
  expect(page.html()).not.toContain(client.client_secret)

  const right = {
    ...wrong,
    token_endpoint: 'https://login.mine.example/token',
    auth_method: 'basic',
  }
  const saved = await expectRefused('client-credentials', right)
  expect(saved('[role=alert]').text()).toContain('The credential is saved, but')
  expect(await readSection()).toContain('Credential: OAuth client credentials')
})
