import { beforeAll, expect, test } from 'vitest'
import { findKeyHolder } from '../../api/auth/principal.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openLiveWeb } from '../support/servers/live-web.ts'

const brand = { id: 'acme', names: [{ en: 'Acme' }], properties: [] }
const adagents = {
  authorized_agents: [{ url: 'https://seller.example/mcp', authorized_for: 'all of it' }],
  properties: [],
}
const web = openForAll(() =>
  openLiveWeb({
    'acme.example': {
      '/.well-known/adagents.json': adagents,
      '/.well-known/brand.json': brand,
    },
    'brand.example': { '/.well-known/brand.json': brand },
    'again.example': { '/.well-known/adagents.json': adagents },
  }),
)
const registry = openForAll(() => web.open())
let admin: string

beforeAll(async () => {
  admin = await registry.createKey('Admins')
  const { id } = findKeyHolder(registry.reader, admin)!
  await registry.submit({ op: 'role.grant', role: 'admin', holder: 'key', id })
})

function post(path: string, secret = admin) {
  const headers = { authorization: `Bearer ${secret}` }
  return registry.app.inject({ method: 'POST', url: `/api/registry/${path}`, headers })
}

test('an admin is told at once whether a file is valid, and a crawl takes it into the index', async () => {
  const answer = await post('publisher/acme.example/adagents/revalidate')
  expect(answer.statusCode, answer.body).toBe(200)
  const body = answer.json()
  expect(body).toMatchObject({
    domain: 'acme.example',
    status_code: 200,
    discovery_method: 'direct',
  })
  expect(registry.submitted).toContainEqual(
    expect.objectContaining({
      op: 'crawl.request',
      scope: 'domain',
      crawl_request_id: body.crawl_request_id,
    }),
  )
  const missing = (await post('publisher/none.example/adagents/revalidate')).json()
  expect(missing).toMatchObject({ adagents_valid: false, status_code: 404 })
  expect(missing.issues.errors[0].message).toBe(missing.error)
  expect(missing).not.toHaveProperty('properties_count')
})

test('again within five minutes only if it is forced', async () => {
  const path = 'publisher/again.example/adagents/revalidate'
  expect((await post(path)).statusCode).toBe(200)
  expect((await post(path)).statusCode).toBe(429)
  expect((await post(`${path}?force=true`)).statusCode).toBe(200)
})

test('an admin gets the brand before and after its file is read', async () => {
  const unknown = (await post('brand/brand.example/force-crawl')).json()
  expect(unknown).toMatchObject({
    domain: 'brand.example',
    previous_source: null,
    new_source: 'brand_json',
    promoted: true,
    brand_json_found: true,
    live_variant: 'brand_canonical',
  })
  await registry.observe(observeBrandFile('gone.example', 'Gone'))
  expect((await post('brand/gone.example/force-crawl')).json()).toMatchObject({
    previous_source: 'brand_json',
    promoted: false,
    brand_json_found: false,
    live_variant: null,
  })
})

test('403: only an admin may do that', async () => {
  const other = await registry.createKey('Other')
  for (const path of [
    'publisher/acme.example/adagents/revalidate',
    'brand/acme.example/force-crawl',
  ]) {
    const refused = await post(path, other)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'forbidden'])
  }
})

test('a storyboard says which step it begins with', async () => {
  const list = (await registry.app.inject('/api/storyboards')).json().storyboards
  for (const { id } of list) {
    const whole = (await registry.app.inject(`/api/storyboards/${encodeURIComponent(id)}`)).json()
      .storyboard
    const { step, storyboard } = (
      await registry.app.inject(`/api/storyboards/${encodeURIComponent(id)}/first-step`)
    ).json()
    expect(storyboard).toEqual({ id, title: whole.title })
    expect(step).toEqual({ ...whole.phases[0].steps[0], phase_id: whole.phases[0].id })
  }
})
