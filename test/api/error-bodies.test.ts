import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { identityPaths } from '../../api/identity/endpoints.ts'
import { operations } from '../../api/routes/index.ts'
import { openWithSignIn } from '../support/clients/signing-in.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() =>
  openWithSignIn({
    limits: {
      clientRegistrationsPerHour: 1e6,
      authorizationsPerMinute: 1e6,
      bulkResolvePerMinute: 1e6,
    },
  }),
)
let key: string
let origin: URL
beforeAll(async () => {
  key = await registry.createKey('Readers')
  origin = new URL(await registry.app.listen({ port: 0, host: '127.0.0.1' }))
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND']
/** Methods that some path takes with a body. */
const taking = new Set(['POST', 'PUT'])
const bodies: readonly (readonly [type: string, text: string])[] = [
  ['application/json', '{'],
  ['application/json', '{"__proto__": 1}'],
  ['application/json', '[]'],
  ['application/json; charset=utf-16', '{}'],
  ['application/json-patch+json', '[]'],
  ['application/x-www-form-urlencoded', 'grant_type=nothing&a=%zz'],
  ['multipart/form-data', 'no boundary'],
  ['text/plain', 'hello'],
  ['nonsense', 'x'],
  ['', 'x'],
]
const queries = ['', '?a=%zz', '?domain=%00', '?limit=-1', `?q=${'x'.repeat(9_000)}`]
const oddPaths = [
  '/%',
  '/%zz/..',
  '/api/%c0%af',
  `/api/registry/agents/${'x'.repeat(3_000)}`,
  '//evil.example/',
  '/authorize/nobody',
  '/authorize/%zz',
  '/oauth/none',
  '/.well-known/none',
  '/mcp/none',
  '/register/none',
  '/data/none',
  '/api/none',
]

const known = [...operations, ...identityPaths, { method: 'POST', path: '/mcp' }]
const paths = [...new Set(known.map(({ path }) => path.replace(/:\w+/g, 'nobody')))]
  // Its answers never end, and those of sign-in pages are pages for people.
  .filter(path => !/stream$/.test(path) && !path.startsWith('/sign-in'))

/** Checks that an error answer is JSON with a sentence, whatever it was that was wrong. */
function checkError(place: string, status: number, type: string, text: string): void {
  if (status < 400) return
  expect([place, type]).toEqual([place, expect.stringMatching(/^application\/json\b/)])
  const body = JSON.parse(text)
  const error = place.includes(' /mcp') && body.jsonrpc ? body.error.message : body.error
  expect([place, typeof error, error]).toEqual([place, 'string', expect.stringMatching(/./)])
}

test.each([...paths, ...oddPaths])('every error of %s is JSON with a sentence', async path => {
  for (const method of methods) {
    for (const [i, [type, payload]] of bodies.entries()) {
      const url = path + (queries[i % queries.length] ?? '')
      const hasBody = method !== 'GET'
      if (i >= (taking.has(method) ? bodies.length : 2)) continue
      const answer = await fetch(new URL(origin.origin + url), {
        method,
        redirect: 'manual',
        headers: {
          ...(i % 2 === 0 && { authorization: `Bearer ${key}` }),
          ...(hasBody && { 'content-type': type }),
        },
        ...(hasBody && { body: payload }),
      })
      const text = await answer.text()
      const contentType = answer.headers.get('content-type') ?? ''
      checkError(`${method} ${url.slice(0, 80)} ${type}`, answer.status, contentType, text)
      if (answer.status >= 502 && answer.status <= 504) {
        expect([url, answer.headers.get('retry-after')]).toEqual([
          url,
          expect.stringMatching(/^[1-9]\d*$/),
        ])
      }
    }
  }
})

test.each([
  ['a target that is no path', 'GET http://[ HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a byte that no header may have', 'GET / HTTP/1.1\r\nhost: a\r\nx: \u0000\r\n\r\n'],
  ['no host', 'GET /api/none HTTP/1.1\r\n\r\n'],
  ['another version', 'GET / HTTP/9.9\r\nhost: a\r\n\r\n'],
  ['an unknown method', 'NOPE /api HTTP/1.1\r\nhost: a\r\n\r\n'],
  [
    'two lengths',
    'POST /token HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx',
  ],
  ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a\r\n\r\n'],
  [
    'an expectation',
    'POST /token HTTP/1.1\r\nhost: a\r\nexpect: more\r\ncontent-length: 0\r\n\r\n',
  ],
  [
    'an upgrade',
    'GET /none HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ],
  ['a path of half an escape', 'GET /api/%e0%a HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a target with a fragment', 'GET /api/none#x HTTP/1.1\r\nhost: a\r\n\r\n'],
])('the error of a request with %s is JSON with a sentence', async (name, request) => {
  const socket = connect(Number(origin.port), origin.hostname)
  await once(socket, 'connect')
  let heard = ''
  socket.on('data', data => {
    heard += data
  })
  socket.write(request)
  await expect.poll(() => /\r\n\r\n[\s\S]*\}/.test(heard), { timeout: 5_000 }).toBe(true)
  socket.destroy()
  const [head = '', body = ''] = heard.split('\r\n\r\n', 2)
  const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  expect(status).toBeGreaterThanOrEqual(400)
  checkError(name, status, type, /\{[\s\S]*\}/.exec(body)?.[0] ?? '')
})
