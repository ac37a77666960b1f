import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openLiveWeb } from '../support/servers/live-web.ts'

const DOMAIN = 'broken.example'
const broken = '{\n  "contact": { "email": "ann@broken.example" },\n  "authorized_agents": [],\n}\n'

const web = openForAll(() =>
  openLiveWeb({
    [DOMAIN]: { '/.well-known/adagents.json': broken },
    [HTTP]: {
      '/.well-known/adagents.json': { authoritative_location: 'http://cdn.example/a.json' },
    },
  }),
)
const registry = openForAll(() => web.open())

const HTTP = 'leads-to-http.example'

beforeAll(async () => {
  await registry.observe({ kind: 'adagents.json', location: DOMAIN, outcome: 'not_json' })
  await registry.observe({ kind: 'adagents.json', location: HTTP, outcome: 'unusable' })
  await registry.publish()
})

const open = async () => {
  const answer = await registry.app.inject({ url: `/workshop?domain=${DOMAIN}` })
  expect(answer.statusCode).toBe(200)
  return load(answer.body)
}

test('a live file that is no JSON opens with its bytes, and the error at its place', async () => {
  const page = await open()
  expect(page('.notice').first().text()).toContain('as it is served now')
  expect(page('textarea').text().trim()).toBe(
    broken.replace(/ann@[a-z.]+/, s => '*'.repeat(s.length)).trim(),
  )
  const line = page('.lines li.bad')
  expect(line.find('a').text()).toBe('3')
  expect(line.find('.note').text()).toContain('remove the trailing comma')
})

test('the page of its publisher counts the error, and shows its line and the fix', async () => {
  const page = load((await registry.app.inject(`/publisher/${DOMAIN}`)).body)
  expect(page('.tiles .note').first().text()).toBe('1 error on line 3')
  expect(page('.tiles').text()).toMatch(/Authorized agents\s*–\s*Properties\s*–/)
  expect(page('#file .lines li.bad .note').text()).toContain('remove the trailing comma')
})

test('a pointer to an address without TLS is told as such', async () => {
  for (const path of [`/publisher/${HTTP}`, `/workshop?domain=${HTTP}`]) {
    const { body } = await registry.app.inject(path)
    expect(load(body)('.lines').text()).toContain('must start with https://')
  }
})
