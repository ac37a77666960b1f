import { load } from 'cheerio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { LiveRequest } from '../../pipeline/model/live/live-request.ts'
import {
  enterDashboard,
  openWithSignIn,
  type SignInRegistry,
  sendForm,
  type TestBrowser,
} from '../support/clients/signing-in.ts'
import { observeBrandFile, observePublisherFile } from '../support/fixtures/documents.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { createCrawlerWith } from '../support/servers/issuer.ts'
import { openMailServer } from '../support/servers/mail-server.ts'

const AGENT = 'https://ads.example/mcp'

const redis = openForAll(startRedis)
const mail = openForAll(openMailServer)
let registry: SignInRegistry
let ann: TestBrowser

beforeAll(async () => {
  const settings = { SMTP_URL: mail.url, MAIL_FROM: 'registry@registry.example' }
  const { requestLive } = createCrawlerWith(settings, systemClock)
  const remember = async (request: LiveRequest, ms: number) => {
    const answer = await requestLive(request, ms)
    const link = request.kind === 'send_mail' && /http\S+\/sign-in\/\S+/.exec(request.text)
    if (link) registry.links.push(link[0])
    return answer
  }
  registry = await openWithSignIn({
    redis: redis.redis,
    settings,
    writer: { requestLive: remember as typeof requestLive },
  })
  const sites = ['acme.example']
  await registry.observe(
    observePublisherFile('acme.example', { sites, agents: [AGENT] }),
    observeBrandFile('acme.example', 'Acme'),
  )
  ann = await enterDashboard(registry, 'ann@acme.example')
})

afterAll(async () => {
  await registry.close()
})

test.each([
  ['/publisher/acme.example', 'domain', 'acme.example'],
  ['/brand/acme.example', 'brand', 'acme.example'],
  [`/agent/${encodeURIComponent(AGENT)}`, 'agent', AGENT],
])('%s has a button that leads to watching it', async (path, kind, name) => {
  registry.clock.tick({ ms: 1 })
  const page = load((await registry.app.inject(path)).body)
  const form = page('form[action="/dashboard/watches"]')
  expect([form.attr('method'), form.find('button').text()]).toEqual(['get', 'Watch'])
  const input = form.find('input')
  expect([input.attr('name'), input.val()]).toEqual([kind, name])
  const shown = await ann.get(`/dashboard/watches?${new URLSearchParams({ [kind]: name })}`)
  const asked = load(shown.body)('form.panel')
  expect(asked.find('h2').text()).toBe(`Watch ${name.replace('https://', '')}`)
  const begun = await sendForm(ann, '/dashboard/watches', { [kind]: name, pace: 'daily' })
  const named = `/dashboard/watches?${new URLSearchParams({ [kind]: name })}`
  expect(begun.headers.location).toBe(`${named}&done=watched`)
  for (const url of [begun.headers.location!, named]) {
    const again = load((await ann.get(url)).body)
    expect(again('form.panel')).toHaveLength(0)
    expect(again('.notice').text()).toContain(`You’re watching ${name.replace('https://', '')}.`)
    expect(again('.notice a').attr('href')).toBe(path)
  }
})

test.each([
  ['domain=not a domain', 'isn’t a valid domain'],
  ['agent=nothing', 'isn’t an agent URL'],
])('what %s names cannot be watched, and is not offered', async (query, fault) => {
  const answer = await ann.get(`/dashboard/watches?${query.replaceAll(' ', '%20')}`)
  const page = load(answer.body)
  expect([answer.statusCode, page('[role=alert]').text()]).toEqual([
    400,
    expect.stringContaining(fault),
  ])
  expect(page('#pace')).toHaveLength(0)
})

test('the dashboard lists what a person watches, to change and to stop it', async () => {
  const rows = async () => {
    const page = load((await ann.get('/dashboard/watches')).body)
    return page('tbody tr')
      .toArray()
      .map(row =>
        page(row)
          .find('th, td')
          .slice(0, 4)
          .toArray()
          .map(cell => page(cell).text()),
      )
  }
  expect(await rows()).toEqual([
    ['acme.example', 'Domain', 'Daily digest', 'ann@acme.example'],
    ['acme.example', 'Brand', 'Daily digest', 'ann@acme.example'],
    ['ads.example/mcp', 'Agent', 'Daily digest', 'ann@acme.example'],
  ])
  const page = load((await ann.get('/dashboard/watches')).body)
  const id = String(page('tbody tr').first().find('input[name=id]').val())
  const changed = await sendForm(ann, '/dashboard/watches/change', { id, pace: 'at_once' })
  expect(changed.headers.location).toBe('/dashboard/watches?done=watch_changed')
  expect((await rows())[0]).toContain('Right away')
  const stopped = await sendForm(ann, '/dashboard/watches/stop', { id })
  expect(stopped.headers.location).toBe('/dashboard/watches?done=unwatched')
  expect(await rows()).toHaveLength(2)
  const wrong = await sendForm(ann, '/dashboard/watches/stop', { id })
  expect([wrong.statusCode, wrong.body]).toEqual([
    400,
    expect.stringContaining('You have no watch with this ID.'),
  ])
})

test.each([
  ['http://127.0.0.1:3000', true],
  ['https://registry.example', false],
])('without a mail server a registry at %s offers watching: %s', async (BASE_URL, isOffered) => {
  const silent = await openWithSignIn({ redis: redis.redis, settings: { BASE_URL } })
  const sites = ['acme.example']
  await silent.observe(observePublisherFile('acme.example', { sites, agents: [AGENT] }))
  const { body } = await silent.app.inject('/publisher/acme.example')
  expect(body.includes('/dashboard/watches')).toBe(isOffered)
  await silent.close()
})
