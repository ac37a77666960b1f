import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { openRegistry, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { createRecordingLog } from '../support/registry/recording-log.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const { log, said } = createRecordingLog()
const roomy = 1_000_000
let registry: TestRegistry
let key: string
let origin: URL

beforeAll(async () => {
  const limits = {
    savesPerHour: roomy,
    savesPerOrganizationHour: roomy,
    savesPerOrganizationDay: roomy,
    bulkResolvePerMinute: roomy,
  }
  registry = await openRegistry({ ownRedis: true, limits, log })
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  await registry.createKey('Other')
  origin = new URL(await registry.app.listen({ port: 0, host: '127.0.0.1' }))
})

afterAll(() => registry.close())

const taking = operations.filter(({ method }) => method !== 'GET')

/** Fields that most operations look for, so that what stands beside them is looked at too. */
const usual = {
  domain: 'acme.example',
  publisher_domain: 'acme.example',
  brand_name: 'Acme',
  url: 'https://a.acme.example/mcp',
  agent_url: 'https://a.acme.example/mcp',
}

/** Parameters of paths that are checked before a body is read. */
const inPath: Record<string, string> = {
  encodedUrl: encodeURIComponent(usual.agent_url),
  comparisonId: '01890000-0000-7000-8000-000000000000',
}

async function send({ method, path }: Pick<Operation, 'method' | 'path'>, payload: string) {
  const answer = await registry.send(
    method,
    path.replace(/:(\w+)/g, (_, name) => inPath[name] ?? 'acme.example'),
    {
      key,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      payload,
    },
  )
  return { status: answer.statusCode, body: answer.body }
}

const faults = () => said.filter(line => /request failed|RangeError|TypeError/.test(line))

/** Sends lines to the server and returns everything it answered before it hung up. */
async function sendLines(lines: string[]): Promise<string> {
  return (await sendLinesTo(origin, lines)).heard
}

/** Sends lines with a pause after each, and also counts how many were sent before the server hung up. */
async function sendLinesTo(server: URL, lines: string[], everyMs = 0) {
  const socket = connect(Number(server.port), server.hostname)
  let heard = ''
  socket.setEncoding('utf8').on('data', text => {
    heard += text
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  let said = 0
  for (const line of lines) {
    if (socket.destroyed) break
    socket.write(line)
    said++
    if (everyMs > 0) await new Promise(resolve => setTimeout(resolve, everyMs))
  }
  if (!socket.destroyed) await once(socket, 'close')
  return { heard, said }
}

const post = (headers: string) =>
  `POST /api/properties/check HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`

describe('a deeply nested body', () => {
  const levels = 100_000
  const shapes: [string, string][] = [
    ['arrays', '['.repeat(levels) + ']'.repeat(levels)],
    ['objects', `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
    ['arrays that never end', '['.repeat(1024 * 1024 - 1)],
  ]

  test.each(shapes)('of %s is refused by every operation before it is parsed', async (_, text) => {
    for (const operation of [
      ...taking.filter(({ raw }) => !raw),
      { method: 'POST', path: '/mcp' },
    ]) {
      const { status, body } = await send(operation as Operation, text)
      expect([400, 'The body is nested more than 64 levels deep.']).toEqual([
        status,
        JSON.parse(body).error,
      ])
    }
  })

  test('in a field causes no internal error, at any depth', async () => {
    for (const operation of taking) {
      const { shape = {} } = (operation.body ?? {}) as { shape?: object }
      for (const name of Object.keys(shape)) {
        for (const depth of [50, 63, 64, 5_000]) {
          const deep = '{"a":'.repeat(depth / 2) + '['.repeat(depth / 2)
          const close = ']'.repeat(depth / 2) + '}'.repeat(depth / 2)
          const fields = JSON.stringify({ ...usual, [name]: null })
          const text = fields.replace(`"${name}":null`, `"${name}":${deep}${close}`)
          const { status, body } = await send(operation, text)
          expect(status === 503 || status < 500, `${operation.id} ${name} ${body}`).toBe(true)
        }
      }
    }
    expect(faults()).toEqual([])
  })

  test('is measured by its brackets, not by brackets in strings', async () => {
    const brand_name = `"\\${'[{'.repeat(40)}`
    const saved = await send(
      { method: 'POST', path: '/api/brands/save' },
      JSON.stringify({ domain: 'acme.example', brand_name }),
    )
    expect(saved.status).toBe(200)
    const shown = await registry.app.inject('/api/brands/resolve?domain=acme.example')
    expect(shown.json().brand_name).toBe(brand_name)
  })
})

describe('a body that is too large', () => {
  test('is refused by every operation with 413, and nothing of it is kept', async () => {
    for (const operation of taking) {
      const bytes = operation.bodyLimit ? limits[operation.bodyLimit] : 1024 * 1024
      const text = JSON.stringify({ ...usual, brand_name: 'x'.repeat(bytes) })
      expect((await send(operation, text)).status, operation.id).toBe(413)
    }
    expect(said.join().length).toBeLessThan(1024 * 1024)
  })

  test('is refused by its declared length without being read', async () => {
    expect(await sendLines([post(`content-length: ${2 ** 40}`)])).toMatch(/^HTTP\/1.1 413 /)
  })

  test('without a length is refused at the first chunk beyond the bound', async () => {
    const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const answer = await sendLines([post('transfer-encoding: chunked'), ...Array(32).fill(piece)])
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  test('with two lengths, or a length and chunks, is a bad request', async () => {
    const smuggled = [
      'content-length: 2\r\ncontent-length: 20',
      'content-length: 2\r\ntransfer-encoding: chunked',
    ]
    for (const headers of smuggled) {
      expect(await sendLines([`${post(headers)}{}`])).toMatch(/^HTTP\/1.1 400 /)
    }
  })

  test('cannot hide in compression: no body is decompressed', async () => {
    const { statusCode } = await registry.send('POST', '/api/properties/check', {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      payload: Buffer.alloc(64, 31),
    })
    expect(statusCode).toBe(415)
  })
})

describe('HTTP that is no valid request', () => {
  test.each([
    [405, 'CONNECT a.example:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
    [417, post('content-length: 2\r\nexpect: the-unexpected')],
  ])('%i: is answered with an error in words', async (status, request) => {
    const heard = await sendLines([request])
    expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(heard).toMatch(/content-type: application\/json/)
    expect(heard).toMatch(/\{"error":"[^"]+","code":"[^"]+"\}/)
  })
})

describe('with a short request timeout, a body', () => {
  const hasty = openForAll(() => openRegistry({ limits: { requestMs: 1_000 } }))
  let server: URL
  beforeAll(async () => {
    server = new URL(await hasty.app.listen({ port: 0, host: '127.0.0.1' }))
  })

  test('that arrives slowly holds its connection for that time and no longer', async () => {
    const drops = ['{', ...Array<string>(90).fill(' ')]
    const { heard, said } = await sendLinesTo(server, [post('content-length: 100'), ...drops], 100)
    expect(heard).toMatch(/^HTTP\/1.1 408 /)
    expect(said).toBeLessThan(drops.length)
  })

  test('with slow headers holds it no longer either', async () => {
    const drops = Array.from({ length: 90 }, (_, i) => `x-${i}: 1\r\n`)
    const begin = 'GET /healthz HTTP/1.1\r\nhost: x\r\n'
    const { heard, said } = await sendLinesTo(server, [begin, ...drops], 100)
    expect(heard).toMatch(/^HTTP\/1.1 408 /)
    expect(said).toBeLessThan(drops.length)
  })
})

describe('a body with duplicate keys', () => {
  const save = (text: string) => send({ method: 'POST', path: '/api/brands/save' }, text)
  const history = async (domain: string) =>
    (await registry.app.inject(`/api/brands/history?domain=${domain}`)).statusCode

  test('counts with its last value, for validation and storage alike', async () => {
    const foreign = 'victim.example'
    const theirs = `{"domain":"twice.acme.example","domain":"${foreign}","brand_name":"Mine"}`
    expect(await save(theirs)).toMatchObject({ status: 403 })
    expect([await history(foreign), await history('twice.acme.example')]).toEqual([404, 404])
    const own = `{"domain":"${foreign}","domain":"twice.acme.example","brand_name":"A","brand_name":"B"}`
    expect(await save(own)).toMatchObject({ status: 200 })
    expect([await history(foreign), await history('twice.acme.example')]).toEqual([404, 200])
    const shown = await registry.app.inject('/api/brands/resolve?domain=twice.acme.example')
    expect(shown.json().brand_name).toBe('B')
  })

  test('under one Idempotency-Key equals the request without the duplicates', async () => {
    const asked = (payload: string) =>
      registry.send('POST', '/api/brands/save', {
        key,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'twice' },
        payload,
      })
    const once = '{"domain":"key.acme.example","brand_name":"B"}'
    const first = await asked(once)
    const again = await asked('{"domain":"x.example","brand_name":"B","domain":"key.acme.example"}')
    expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 200, first.body])
  })
})

test('a body with a prototype key is refused, at any depth', async () => {
  for (const poison of [
    '"__proto__":{"isAdmin":true}',
    '"constructor":{"prototype":{"isAdmin":true}}',
  ]) {
    for (const text of [
      `{${poison}}`,
      `{"domain":"acme.example","brand_name":"A","brand_manifest":{"a":[{${poison}}]}}`,
    ]) {
      for (const operation of taking.filter(({ raw }) => !raw)) {
        expect((await send(operation, text)).status, operation.id).toBe(400)
      }
    }
  }
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
})

test('invalid UTF-8 is refused, or replaced by marks', async () => {
  for (const bytes of [
    [0xff, 0xfe, 0x7b, 0x7d],
    [0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d],
    [0],
  ]) {
    const { statusCode } = await registry.send('POST', '/api/properties/check', {
      headers: { 'content-type': 'application/json' },
      payload: Buffer.from(bytes),
    })
    expect(statusCode).toBe(400)
  }
  for (const operation of taking.filter(({ raw }) => !raw)) {
    for (const torn of ['"\\ud800"', '"a\\uDFFF"', '["a",{"\\ud83d":1}]']) {
      const { status, body } = await send(operation, `{"domains":[${torn}]}`)
      expect([operation.id, status]).toEqual([operation.id, 400])
      expect(JSON.parse(body).error).toMatch(/^`domains\[0\].*` must be well-formed text/)
    }
  }
  await registry.publish()
  const whole = '{"domains":["\\ud83d\\ude00","\\\\ud800"]}'
  expect((await send({ method: 'POST', path: '/api/properties/check' }, whole)).status).toBe(200)
  const lone = '{"domain":"acme.example","brand_name":"\\ud800"}'
  expect((await send({ method: 'POST', path: '/api/brands/save' }, lone)).status).toBeLessThan(500)
  expect((await registry.app.inject('/api/brands/resolve?domain=acme.example')).statusCode).toBe(
    200,
  )
  expect(faults()).toEqual([])
})
