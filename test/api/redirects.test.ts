import { beforeAll, expect, test } from 'vitest'
import { operations } from '../../api/routes/index.ts'
import { listRoutes } from '../support/checks/listed-routes.ts'
import { type ApiRequest, operationRequests } from '../support/clients/operation-requests.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

/** The addresses that redirect, as the description says too. */
const REDIRECTING = '/data/registry.duckdb'
const GUIDES = '/guides'
const GUIDE = '/docs'
const THINGS = ['/brands', '/publishers', '/agents']

const registry = openForAll(openRegistry)
let key: string

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  const sites = ['acme.example']
  await registry.observe(observePublisherFile('acme.example', { sites, agents: [] }))
  await registry.publish()
})

test('what the description says of redirects is what every route does', async () => {
  const redirecting = new Set<string>()
  const send = async (method: string, url: string, { payload, headers }: ApiRequest = {}) => {
    const answer = await registry.send(method as 'GET', url, {
      key,
      headers: { ...headers },
      payload,
    })
    if (answer.statusCode >= 300 && answer.statusCode < 400)
      redirecting.add(`${url} ${answer.statusCode}`)
    return answer
  }
  const routes = (await listRoutes(registry.app)).filter(({ path }) => !path.includes('/stream'))
  for (const { method, path } of routes) {
    const operation = operations.find(known => known.method === method && known.path === path)
    const known = Object.values(operationRequests[operation?.id ?? ''] ?? {})
    const requests = known.filter((request): request is ApiRequest => typeof request === 'object')
    for (const request of [{}, ...requests] as ApiRequest[]) {
      const values = [request.params ?? []].flat()
      const filled = path.replace(/:\w+|\*/g, () => values.shift() ?? 'acme.example')
      await send(
        method,
        request.query === undefined ? filled : `${filled}?${request.query}`,
        request,
      )
    }
  }
  expect([...redirecting].sort()).toEqual(
    [
      `${REDIRECTING} 302`,
      `${GUIDES} 301`,
      ...[GUIDE, ...THINGS].map(path => `${path}/acme.example 301`),
    ].sort(),
  )
  const { headers } = await send('GET', REDIRECTING)
  const latest = await send('GET', String(headers.location))
  expect([latest.statusCode, latest.headers['cache-control']]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
  const description = (await registry.app.inject('/openapi/registry.yaml')).body
  expect(description.replaceAll(/\s+/g, ' ')).toContain(`\`${REDIRECTING}\` (302, `)
  expect(description.replaceAll(/\s+/g, ' ')).toContain(
    `\`${GUIDES}\` and \`${GUIDE}/{name}\` (301, `,
  )
  for (const path of THINGS) expect(description).toContain(`\`${path}/{`)
  expect(description).not.toContain('never redirects')
})

test.each([
  ['/brands/ACME.example', '/brand/acme.example'],
  ['/publishers/https%3A%2F%2Facme.example%2Fnews', '/publisher/acme.example'],
  ['/agents/https%3A%2F%2FAcme.example%2Fmcp', '/agent/https%3A%2F%2Facme.example%2Fmcp'],
  ['/docs/webhooks', '/docs/guides/webhooks'],
  ['/docs/%2F%2Fevil.example', '/docs/guides/%2F%2Fevil.example'],
  ['/agents/acme.example', '/agent/https%3A%2F%2Facme.example'],
  ['/brands/%2F%2Fevil.example', undefined],
  ['/publishers/%5Cevil.example', undefined],
])('the guessed address %s leads to a page of the registry, and nowhere else', async (url, to) => {
  const { statusCode, headers } = await registry.app.inject({ url })
  expect([statusCode, headers.location]).toEqual([to === undefined ? 400 : 301, to])
})
