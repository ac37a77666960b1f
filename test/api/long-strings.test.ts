import { beforeAll, expect, test } from 'vitest'
import { type ListedRoute, listRoutes } from '../support/checks/listed-routes.ts'
import { openWithSignIn, register } from '../support/clients/signing-in.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() => openWithSignIn({ limits: { authorizationsPerMinute: 1e6 } }))
let key: string
let routes: ListedRoute[]

/** Fields that name something which is looked up, in a query or a form. */
const fields = [
  'domain',
  'agent_url',
  'client_id',
  'code',
  'refresh_token',
  'token',
  'state',
  'nonce',
  'cursor',
  'org',
  'organization_id',
  'property_rid',
  'identifier_type',
  'identifier_value',
  'publisher_domain',
  'url',
  'type',
  'value',
  'search',
  'q',
  'id',
  'uid',
  'policy_id',
  'version',
]

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  await register(registry)
  await registry.publish()
  routes = await listRoutes(registry.app)
})

const texts = [
  'a'.repeat(1_979),
  'ü'.repeat(1_000),
  `https://${'a.'.repeat(2_500)}example/mcp`,
].map(encodeURIComponent)

test('a string that is longer than a key of a store is no internal error, wherever a caller sends it', async () => {
  const faults: string[] = []
  const send = async (method: string, url: string, payload?: string) => {
    const type = 'application/x-www-form-urlencoded'
    const { statusCode } = await registry.send(method as 'GET', url, {
      key,
      headers: { ...(payload && { 'content-type': type }) },
      payload,
    })
    if (statusCode === 500) faults.push(`${method} ${url.slice(0, 80)}: ${payload?.slice(0, 40)}`)
  }
  for (const { method, path } of routes.filter(({ path }) => !path.includes('stream'))) {
    if (method !== 'GET' && method !== 'POST') continue
    const plain = path.replace(/:\w+|\*/g, 'x')
    for (const text of texts) {
      if (plain !== path) await send(method, path.replace(/:\w+|\*/g, text))
      const query = fields.map(name => `${name}=${text}`)
      if (method === 'POST') await send(method, plain, query.slice(0, 3).join('&'))
      else for (const field of query) await send(method, `${plain}?${field}`)
    }
  }
  expect(faults).toEqual([])
})

test('an application that nobody registered is unknown, however long its id is', async () => {
  const client_id = 'x'.repeat(5_000)
  const shown = await registry.app.inject(`/authorize?client_id=${client_id}&response_type=code`)
  expect([shown.statusCode, shown.headers.location]).toEqual([400, undefined])
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `client_id=${client_id}&grant_type=authorization_code&code=${client_id}`
  const asked = await registry.app.inject({ method: 'POST', url: '/token', headers, payload })
  expect([asked.statusCode, asked.json().error]).toEqual([401, 'invalid_client'])
})
