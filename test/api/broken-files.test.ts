import { load } from 'cheerio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestRegistry } from '../support/registry/app.ts'
import { type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'

const DOMAIN = 'broken.example'
const broken = '{\n  "contact": { "email": "ann@broken.example" },\n  "authorized_agents": [],\n}\n'

let web: LiveWeb
let registry: TestRegistry

beforeAll(async () => {
  web = await openLiveWeb({ [DOMAIN]: { '/.well-known/adagents.json': broken } })
  registry = await web.open()
  await registry.observe({ kind: 'adagents.json', location: DOMAIN, outcome: 'not_json' })
  await registry.publish()
})
afterAll(() => web.close())

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
  expect(line.find('a').text()).toBe('4')
  expect(line.find('.note').text()).toContain('remove the trailing comma')
})
