import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, test } from 'vitest'
import { formatTime, HOUR, SECOND, toIso } from '../../pipeline/core/clock.ts'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { writeRegistryKey } from '../support/registry/registry-keys.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

const get = (url: string, headers: Record<string, string> = {}) =>
  registry.app.inject({ url, headers })

describe('GET /api', () => {
  test('200: the entry points of the API', async () => {
    const answer = await get('/api')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      version: '1.0.0',
      openapi: 'https://registry.example/openapi/registry.yaml',
      endpoints: { brands: '/api/brands/registry' },
    })
    expect((await get('/api/')).statusCode).toBe(200)
  })
})

describe('GET /.well-known/http-message-signatures-directory', () => {
  const path = '/.well-known/http-message-signatures-directory'

  test('200: no key where the crawler does not sign', async () => {
    expect((await get(path)).json()).toEqual({ keys: [] })
  })

  test('200: the public key of the crawler only', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const file = join(mkdtempSync(join(tmpdir(), 'registry-key-')), 'crawler.jwk')
    writeFileSync(file, JSON.stringify(privateKey.export({ format: 'jwk' })))
    const own = await openRegistry({ settings: { CRAWL_SIGNING_KEY: file } })
    const answer = await own.app.inject(path)
    expect(answer.headers['content-type']).toBe(
      'application/http-message-signatures-directory+json',
    )
    const jwk = publicKey.export({ format: 'jwk' })
    const kid = await calculateJwkThumbprint(jwk)
    expect(answer.json()).toEqual({ keys: [{ ...jwk, kid, use: 'sig' }] })
    await own.close()
    rmSync(dirname(file), { recursive: true })
  })
})

describe('GET /.well-known/jwks.json', () => {
  test('200: no key where the registry does not sign', async () => {
    expect((await get('/.well-known/jwks.json')).json()).toEqual({ keys: [] })
  })

  test('200: a public key for each purpose, and nothing of the private one', async () => {
    const { path, secret } = writeRegistryKey()
    const own = await openRegistry({ settings: { REGISTRY_SIGNING_KEYS: path } })
    const answer = await own.app.inject('/.well-known/jwks.json')
    const { keys } = answer.json()
    expect(keys.map((key: { proto_use: string }) => key.proto_use)).toEqual([
      'badge-signing',
      'webhook-signing',
    ])
    for (const { kty, crv, x, kid, alg } of keys) {
      expect([await calculateJwkThumbprint({ kty, crv, x }), alg]).toEqual([kid, 'EdDSA'])
    }
    expect(answer.body).not.toContain(secret)
    await own.close()
  })
})

describe('GET /api/.well-known/jwks.json', () => {
  test('200: no key where the registry does not sign', async () => {
    expect((await get('/api/.well-known/jwks.json')).json()).toEqual({ keys: [] })
  })

  test('200: the keys of badges alone', async () => {
    const { path } = writeRegistryKey()
    const own = await openRegistry({ settings: { REGISTRY_SIGNING_KEYS: path } })
    const { keys } = (await own.app.inject('/api/.well-known/jwks.json')).json()
    const all = (await own.app.inject('/.well-known/jwks.json')).json().keys
    expect(keys).toEqual([all[0]])
    expect(keys[0].proto_use).toBe('badge-signing')
    await own.close()
  })
})

describe('GET /healthz, GET /readyz', () => {
  test('200: the process answers', async () => {
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' })
  })

  test('503, then 200: ready after the first commit', async () => {
    const own = await openRegistry()
    const before = await own.app.inject('/readyz')
    expect([before.statusCode, before.json()]).toEqual([
      503,
      { error: 'Nothing has been committed yet; try again.', code: 'unavailable', retry_after: 5 },
    ])
    await own.observe(observeBrandFile('acme.example', 'Acme'))
    expect((await own.app.inject('/readyz')).json()).toEqual({
      status: 'ready',
      seq: 1,
      problems: [],
    })
    await own.close()
  })

  test('200: says since when lists have lacked a commit, once that is more than an hour ago', async () => {
    const own = await openRegistry()
    const readProblems = async () => {
      await own.reader.refresh()
      return (await own.app.inject('/readyz')).json().problems
    }
    await own.observe(observeBrandFile('first.example', 'First'))
    await own.publish()
    own.clock.tick(3 * HOUR)
    // A quiet registry has an old snapshot that lacks nothing.
    expect(await readProblems()).toEqual([])
    await own.observe(observeBrandFile('second.example', 'Second'))
    const since = formatTime(toIso(own.clock.now()))
    expect(await readProblems()).toEqual([])
    own.clock.tick(HOUR + SECOND)
    expect(await readProblems()).toEqual([
      `lists and search lack what was committed since ${since}`,
    ])
    await own.publish()
    expect(await readProblems()).toEqual([])
    await own.close()
  })
})

describe('metrics of the API', () => {
  test('count answers by operation and status, and are not public', async () => {
    await get('/api/brands/resolve?domain=nobody.example')
    await get('/nowhere')
    expect((await get('/metrics')).statusCode).toBe(404)
    const text = await registry.metrics.text()
    expect(text).toContain('registry_requests_total{operation="resolveBrand",status="404"} 1')
    expect(text).toContain('registry_requests_total{operation="unknown",status="404"} 2')
    expect(text).toContain('registry_request_seconds_bucket')
    expect(text).toContain('registry_seq 0')
    expect(text).toContain('registry_held_publishers 0')
  })
})

describe('invalid requests', () => {
  const inject = (method: string, url: string, more = {}) =>
    registry.app.inject({ method: method as 'GET', url, ...more })

  test.each([
    ['GET', '/nowhere'],
    ['POST', '/nowhere'],
    ['GET', '/api/registry/lookup/place/a.example/b'],
    ['OPTIONS', '/nowhere'],
  ])('404: %s %s does not exist', async (method, url) => {
    const answer = await inject(method, url, { headers: { 'content-type': 'text/xml' } })
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      {
        error: `No such ${url.startsWith('/api/') ? 'endpoint' : 'page'}: ${url}.`,
        code: 'not_found',
      },
    ])
  })

  test.each([
    ['/api/brand/resolve', '. Did you mean /api/brands/resolve?'],
    ['/api/brands/resolve/acme.example', '. Did you mean /api/brands/resolve?'],
    ['/api/feed', '. Did you mean /api/registry/feed?'],
    [
      '/api/v1/agents/https://ads.acme.example/mcp/publishers',
      '. Percent-encode the URL in it, as in https%3A%2F%2Fads.acme.example%2Fmcp.',
    ],
  ])('404: %s does not exist, and what was meant is named', async (url, hint) => {
    expect((await inject('GET', url)).json().error).toBe(`No such endpoint: ${url}${hint}`)
  })

  test.each([
    ['POST', '/api/brands/resolve', 'GET, HEAD, OPTIONS', 'GET, HEAD, or OPTIONS'],
    [
      'DELETE',
      '/api/registry/lookup/domain/a.example',
      'GET, HEAD, OPTIONS',
      'GET, HEAD, or OPTIONS',
    ],
    ['GET', '/api/brands/resolve/bulk', 'POST, OPTIONS', 'POST or OPTIONS'],
    [
      'PUT',
      '/api/properties/check/bulk',
      'GET, HEAD, POST, OPTIONS',
      'GET, HEAD, POST, or OPTIONS',
    ],
  ])('405: %s %s lists the allowed methods', async (method, url, allow, choices) => {
    const answer = await inject(method, url)
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow])
    expect(answer.json().error).toBe(`${method} is not supported. Use ${choices}.`)
  })

  test('204: browsers may send a preflight request', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    const answer = await inject('OPTIONS', '/api/brands/resolve', { headers })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': expect.stringMatching(
        /^authorization, content-type, idempotency-key, .*if-none-match.*mcp-protocol-version/,
      ),
    })
  })

  test('pages may send what preflight allows: reads, searches, writes and tools', async () => {
    const headers = { origin: 'https://page.example' }
    const asked = [
      await inject('GET', '/api/brands/resolve?domain=seen.example', { headers }),
      await inject('POST', '/api/adagents/create', {
        headers,
        payload: { authorized_agents: [], properties: [{}] },
      }),
      await inject('GET', '/api/registry/feed', {
        headers: { ...headers, authorization: `Bearer ${await registry.createKey('Page')}` },
      }),
      await inject('POST', '/api/brands/save', { headers, payload: {} }),
      await inject('POST', '/mcp', {
        headers: { ...headers, accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
      }),
    ]
    for (const { headers: told } of asked) {
      expect(told['access-control-allow-origin']).toBe('*')
      expect(told['access-control-expose-headers']).toMatch(
        /etag.*retry-after.*x-registry-as-of.*x-sync-cursor/,
      )
    }
    expect(asked.map(({ statusCode }) => statusCode)).toEqual([404, 400, 200, 401, 200])
    const plain = await get('/api/brands/resolve?domain=seen.example')
    expect(plain.headers).not.toHaveProperty('access-control-expose-headers')
  })

  const bulk = (headers: object, payload: string) =>
    inject('POST', '/api/brands/resolve/bulk', { headers, payload })
  const json = { 'content-type': 'application/json' }

  test.each([
    ['a body that is not JSON', '{"domains":', 400, 'The body is not valid JSON'],
    ['an empty body', '', 400, 'The body is required.'],
    [
      'a forbidden key',
      '{"__proto__":{},"domains":["a.example"]}',
      400,
      'The body is not valid JSON',
    ],
    [
      'too long a body',
      `["${'a'.repeat(1024 * 1024)}"]`,
      413,
      'The body may have at most 1048576 bytes.',
    ],
    ['a body that is no object', '[]', 400, 'The body must be an object'],
  ])('%s is refused', async (_what, payload, status, error) => {
    const answer = await bulk(json, payload)
    expect(answer.statusCode).toBe(status)
    expect(answer.json().error).toContain(error)
  })

  test('415: a compressed body is refused with the reason', async () => {
    const answer = await bulk({ ...json, 'content-encoding': 'gzip' }, '{"domains":["a.example"]}')
    const error = 'The body must not be compressed: Content-Encoding is not supported.'
    expect([answer.statusCode, answer.json()]).toEqual([
      415,
      { error, code: 'unsupported_media_type' },
    ])
    const plain = await bulk(
      { ...json, 'content-encoding': 'identity' },
      '{"domains":["a.example"]}',
    )
    expect(plain.statusCode).toBe(200)
  })

  test.each(['text/plain', 'application/xml', 'nonsense'])('415: a body of %s', async type => {
    const answer = await bulk({ 'content-type': type }, '{"domains":["a.example"]}')
    expect([answer.statusCode, answer.json()]).toEqual([
      415,
      { error: 'The body must be application/json.', code: 'unsupported_media_type' },
    ])
  })

  test('400: a missing body', async () => {
    const answer = await inject('POST', '/api/brands/resolve/bulk')
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { error: 'The body is required.', code: 'invalid_request' },
    ])
  })

  test.each([
    ['/api/registry/lookup/domain/%zz', 'The path has a malformed percent escape.'],
    [`/api/registry/lookup/domain/${'a'.repeat(3000)}`, 'A part of the path is too long.'],
  ])('400: %s', async (url, error) => {
    const answer = await get(url)
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, code: 'invalid_request' }])
    expect(answer.headers['content-type']).toContain('application/json')
  })

  test('500: an internal error discloses nothing else', async () => {
    const lines: unknown[] = []
    const log = { error: (line: unknown) => lines.push(line), debug() {}, warn() {} }
    const own = await openRegistry({ log: log as never })
    Object.defineProperty(own.reader, 'serving', {
      get() {
        throw new Error('the disk is on fire')
      },
    })
    const answer = await own.app.inject('/api/brands/resolve?domain=acme.example')
    expect([answer.statusCode, answer.json()]).toEqual([
      500,
      { error: 'Internal error.', code: 'internal_error' },
    ])
    expect(lines).toHaveLength(1)
    Reflect.deleteProperty(own.reader, 'serving')
    await own.close()
  })

  test('400: invalid HTTP', async () => {
    const url = new URL(await registry.app.listen({ port: 0 }))
    const said = await new Promise<string>(resolve => {
      let text = ''
      const socket = connect(Number(url.port), url.hostname)
      socket.on('data', chunk => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.end('HELO registry\r\n\r\n')
    })
    expect(said).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    expect(said).toMatch(/\r\n\r\n\{"error":"[^"]+","code":"invalid_request"\}$/)
  })
})
