import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildApp } from '../../api/app.ts'
import { operations } from '../../api/routes/index.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { Reader } from '../../pipeline/read/reader.ts'

let folder: string
let app: FastifyInstance

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-nowhere-'))
  const config = readConfig({
    DATA_DIR: join(folder, 'of-nobody'),
    BASE_URL: 'https://registry.example',
  })
  const writer = {
    submit: async () => ({ done: {} }),
    requestLive: () => refuse('bad_gateway', 'no crawler'),
    runStoryboard: () => refuse('bad_gateway', 'no crawler'),
    findStoryboardJob: () => refuse('bad_gateway', 'no crawler'),
    cancelStoryboardJob: () => refuse('bad_gateway', 'no crawler'),
  }
  const reader = new Reader(config.DATA_DIR, systemClock)
  await reader.refresh()
  app = buildApp({ config, reader, clock: systemClock, log: silentLog, writer })
})

afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const needing = operations.filter(({ worksWithoutStores }) => !worksWithoutStores)

test.each(needing.map(({ id, method, path }) => [id, method, path] as const))(
  '%s: without the stores: 503, and when to try again',
  async (_, method, path) => {
    const answer = await app.inject({
      method,
      url: path.replace(/:\w+/g, 'acme.example'),
      headers: { authorization: 'Bearer sk_somebody' },
    })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      503,
      { error: 'The stores are not available; try again.', retry_after: 5 },
    ])
    expect(answer.headers['retry-after']).toBe('5')
  },
)

test('operations that need no stores answer', async () => {
  for (const path of ['/api', '/healthz', '/openapi/registry.yaml', '/docs', '/']) {
    expect([path, (await app.inject(path)).statusCode]).toEqual([path, 200])
  }
  expect((await app.inject('/nothing')).statusCode).toBe(404)
})

test('tools answer the same, and credentials cannot be checked', async () => {
  const call = (headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', ...headers },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'resolve_brand', arguments: { domain: 'acme.example' } },
      },
    })
  expect((await call()).json().result).toMatchObject({ isError: true })
  expect((await call()).body).toContain('The stores are not available')
  expect((await call({ authorization: 'Bearer sk_somebody' })).statusCode).toBe(503)
})

test('the OpenAPI description says so', async () => {
  const { paths } = parse((await app.inject('/openapi/registry.yaml')).body)
  for (const { path, method } of needing) {
    const described = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    expect(Object.keys(described.responses), path).toContain('503')
  }
})
