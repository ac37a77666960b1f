import { request as connect } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { openWithSignIn } from '../support/clients/signing-in.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openWithSignIn)
let origin: URL

beforeAll(async () => {
  origin = new URL(await registry.app.listen({ port: 0, host: '127.0.0.1' }))
  await registry.publish()
})

/** Requests a path as it is written; returns the status and the id of the answer, without its body. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; id: unknown }>((resolve, reject) => {
    const { hostname, port } = origin
    const request = connect({ hostname, port, path, method, headers }, answer => {
      resolve({ status: answer.statusCode!, id: answer.headers['x-request-id'] })
      answer.destroy()
    })
    request.on('error', reject).end()
  })
}

test.each([
  [200, '/api/registry/stats', 'GET'],
  [200, '/changes', 'GET'],
  [200, '/changes/stream', 'GET'],
  [200, '/assets/pages/icon.svg', 'HEAD'],
  [200, '/data/registry.duckdb', 'GET'],
  [204, '/api/registry/stats', 'OPTIONS'],
  [400, '/%', 'GET'],
  [400, '/api/registry/stats?days=1', 'GET'],
  [401, '/api/registry/feed', 'GET'],
  [404, '/api/none', 'GET'],
  [404, '/none', 'GET'],
  [405, '/api/registry/stats', 'DELETE'],
  [400, '/authorize?client_id=none', 'GET'],
])('%i: the answer to %s names its request', async (status, path, method) => {
  const own = await ask(path, {}, method)
  expect([path, status === 200 ? own.status < 400 || own.status === 404 : own.status]).toEqual([
    path,
    status === 200 ? true : status,
  ])
  expect(own.id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
  const again = await ask(path, {}, method)
  expect(again.id).not.toBe(own.id)
  const chosen = await ask(path, { 'x-request-id': 'trace:01/A-b_c=+.' }, method)
  expect(chosen.id).toBe('trace:01/A-b_c=+.')
})

test.each(['', 'a b', 'x'.repeat(65), '"}', 'a,b', '<b>'])(
  'an id that is long or could break a log is not taken over: %j',
  async chosen => {
    const { id } = await ask('/api', { 'x-request-id': chosen })
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
  },
)
