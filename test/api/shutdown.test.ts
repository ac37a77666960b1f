import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { runApi } from '../../api/server.ts'
import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { silentLog } from '../../pipeline/core/log.ts'

const opened: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

async function serve(limits: Record<string, number> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'registry-closing-'))
  opened.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LIMITS: JSON.stringify(limits) })
  const writer = {
    submit: async () => ({ done: {} }),
    requestLive: () => refuse('unavailable', 'no crawler'),
    runStoryboard: () => refuse('unavailable', 'no crawler'),
    findStoryboardJob: () => refuse('unavailable', 'no crawler'),
    cancelStoryboardJob: () => refuse('unavailable', 'no crawler'),
  }
  const metrics = new RoleMetrics('api')
  const { url, close } = await runApi({
    config,
    clock: systemClock,
    log: silentLog,
    writer,
    metrics,
  })
  opened.push(close)
  return { url, port: Number(new URL(url).port), close, metrics }
}

interface Answer {
  status: number | undefined
  headers: Record<string, unknown>
  body: string
}

function ask(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, response => {
      let body = ''
      response.on('data', chunk => {
        body += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body }),
      )
    }).on('error', reject)
  })
}

test('a closing process answers with its own error and closes the connection', async () => {
  const { url, close } = await serve()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  opened.push(() => agent.destroy())
  expect((await ask(`${url}/healthz`, agent)).status).toBe(200)
  const closed = close()
  for (const path of ['/healthz', '/api/registry/stats', '/nowhere']) {
    const { status, headers, body } = await ask(url + path, agent)
    expect([path, status, JSON.parse(body)]).toMatchObject([
      path,
      503,
      { error: 'This server is shutting down; try again.', retry_after: 2 },
    ])
    expect(headers).toMatchObject({ 'retry-after': '2', connection: 'close' })
  }
  await closed
  await expect(ask(`${url}/healthz`, agent)).rejects.toThrow()
})

test('idle connections do not delay the shutdown', async () => {
  const { port, close } = await serve()
  const held = await Promise.all(Array.from({ length: 20 }, () => hold(port)))
  const ended = held.map(socket => new Promise<void>(resolve => socket.once('close', resolve)))
  const started = performance.now()
  await close()
  await Promise.all(ended)
  expect(performance.now() - started).toBeLessThan(20_000)
})

test('idle connections are closed to make room for new ones', async () => {
  const { url, port, metrics } = await serve({ connections: 32 })
  const held: Socket[] = []
  for (let i = 0; i < 200; i++) held.push(await hold(port))
  const agent = new Agent({ keepAlive: false })
  expect((await ask(`${url}/healthz`, agent)).status).toBe(200)
  await expect.poll(() => held.filter(socket => !socket.destroyed).length).toBeLessThanOrEqual(32)
  const text = await metrics.text()
  expect(Number(/^registry_connections (\d+)$/m.exec(text)?.[1])).toBeLessThanOrEqual(32)
})

test('busy connections of one address give way to another address, and to no more of its own', async () => {
  const { url, port } = await serve({ connections: 32 })
  const held: Socket[] = []
  const keepBusy = async () => {
    const socket = await hold(port)
    socket.write(
      'POST /api/adagents/validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n' +
        'content-length: 1000\r\n\r\n{',
    )
    held.push(socket)
  }
  for (let i = 0; i < 32; i++) await keepBusy()
  const own = new Agent({ keepAlive: false })
  const askAgain = async () => {
    await keepBusy()
    // A connection counts as idle until its request has arrived.
    await setTimeout(100)
    return (await ask(`${url}/healthz`, own).catch(() => undefined))?.status
  }
  await expect.poll(askAgain, { timeout: 10_000 }).not.toBe(200)
  const other = new Agent({ keepAlive: false, localAddress: '127.0.0.2' })
  expect((await ask(`${url}/healthz`, other)).status).toBe(200)
  expect(held.filter(socket => !socket.destroyed).length).toBeGreaterThanOrEqual(16)
})

/** Opens a connection and asks nothing. */
async function hold(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('end', () => socket.destroy())
  opened.push(() => void socket.destroy())
  await new Promise<void>(resolve => socket.once('connect', () => resolve()))
  return socket
}
