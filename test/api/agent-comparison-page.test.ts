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
import { buildMemberOperations } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { startReferenceAgent } from '../support/servers/reference-agent.ts'
import { openReferenceWeb, serveReferenceAgent } from '../support/servers/storyboards.ts'

const MINE = 'https://mine.example/sales/mcp'
const SILENT = 'https://silent.example/mcp'

const settings = { PROTOCOL_NAME: 'adcp' }
const agent = openForAll(() => startReferenceAgent(systemClock))
const web = openForAll(() =>
  openReferenceWeb(agent, {
    'mine.example': serveReferenceAgent(agent, {
      isOpen: true,
      damage: (payload, { task }) =>
        task === 'list_creative_formats' ? { ...payload, formats: ['<b>none</b>'] } : payload,
    }),
    'silent.example': { '*': ({ request }) => request.socket.destroy() },
  }),
)
let registry: SignInRegistry
let ann: TestBrowser
let path: string

beforeAll(async () => {
  const { requestLive, runStoryboard } = web.writer
  registry = await openWithSignIn({
    redis: web.redis.redis,
    settings,
    writer: { requestLive, runStoryboard },
  })
  ann = await enterDashboard(registry, 'ann@mine.example')
  await sendForm(ann, '/dashboard/organizations', { name: 'Mine' })
  const section = load((await ann.get('/dashboard')).body)('tbody a').attr('href')!
  const org = section.split('/')[3]!
  path = `/dashboard/org/${org}/agents/tests/compare`
  const agents = [{ url: MINE }, { url: SILENT }]
  await registry.submit(...buildMemberOperations({ org, domains: ['mine.example'], agents }))
  await registry.reader.refresh()
})
afterAll(async () => {
  await registry?.close()
})

async function compare(url: string, storyboard: string) {
  const { statusCode, body } = await sendForm(ann, path, { url, storyboard })
  const page = load(body)
  expect([statusCode, page('[role=alert]').text()]).toEqual([200, ''])
  expect(Buffer.byteLength(body)).toBeLessThan(60_000)
  return page
}

test('a comparison shows what both agents did in the step in which they differ', async () => {
  const page = await compare(MINE, 'schema_validation')
  expect(page('.lead').text()).toContain('the agents differ in 1 step.')
  const differing = page('details:has(summary .badge)')
  expect([differing.length, differing.attr('open'), page('details[open]').length]).toEqual([
    1,
    'open',
    1,
  ])
  expect(differing.children('ul').children('li').length).toBeGreaterThan(1)
  const [mine, reference] = differing.find('.sides > div').toArray()
  expect(page(mine).find('h3').first().text()).toBe('Your agent failed')
  expect(page(mine).text()).toContain('"<b>none</b>"')
  expect(page(mine).find('dt').text()).toContain('Change')
  expect(page(reference).find('h3').first().text()).toBe('Reference agent passed')
  expect(page(reference).text()).toContain('"format_id"')
  expect(page('.sides b')).toHaveLength(0)
})

test('a comparison of agents that do the same opens no step', async () => {
  const page = await compare(MINE, 'capability_discovery')
  expect(page('.lead').text()).toContain('both agents behave the same in every step.')
  expect(page('details[open]')).toHaveLength(0)
  const outside = page('.diff').filter((_, step) => page(step).parents('details.fold').length === 0)
  expect(outside).toHaveLength(0)
  expect(page('.fold > summary').first().text()).toMatch(/^\d+ steps? ha(?:s|ve) the same result$/)
})

test('a comparison with an agent that cannot be reached says so, and what the other one did', async () => {
  const page = await compare(SILENT, 'media_buy_seller')
  expect(page('.facts').text()).toContain('the agent cannot be reached')
  // What one agent never ran shows no difference.
  expect(page('.lead').text()).toMatch(
    /no differences in the steps that both agents ran\. Only one of them ran \d+ steps?\.$/,
  )
  expect(page('summary .badge.bad')).toHaveLength(0)
  expect(page('details[open]')).toHaveLength(1)
  expect(page('details[open] .sides').text()).toContain('Response (status 200)')
})
