import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis, type Redis, waitUntilReady } from '../../../jobs/redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { generousTimeouts } from '../registry/generous-limits.ts'
import { cleanUp } from '../registry/registry.ts'

export interface TestRedis {
  url: string
  redis: Redis
  /** Ends the server; the connection stays and finds nobody. */
  stop(): Promise<void>
  /** Starts a server at the same place, empty. */
  again(): Promise<void>
  close(): Promise<void>
}

/** Starts a redis-server on a socket in a temporary folder, with more options where some are given. */
export async function startRedis(...more: string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-redis-'))
  const socket = join(folder, 'redis.sock')
  const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder, ...more]
  let server = spawn('redis-server', options, { stdio: 'ignore' })
  const url = `unix://${socket}`
  while (!existsSync(socket)) await sleep(10)
  const redis = connectRedis(url, 'failFast', silentLog, generousTimeouts)
  await waitUntilReady(redis)
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
    // Whoever uses it now is told so, and `again` waits for the new one.
    while (redis.status === 'ready') await sleep(1)
  }
  return {
    url,
    redis,
    stop,
    async again() {
      server = spawn('redis-server', options, { stdio: 'ignore' })
      await waitUntilReady(redis)
    },
    async close() {
      redis.disconnect()
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts a proxy to the Redis at the socket `url` and returns its address. It delays each connection by
 * `ms`, or with `from` everything after this word.
 */
export async function startSlowRedis(url: string, ms: number, from?: string): Promise<string> {
  async function* delay(asked: AsyncIterable<Buffer>) {
    for await (const bytes of asked) {
      if (from !== undefined && String(bytes).includes(from)) await sleep(ms)
      yield bytes
    }
  }
  const server = createServer(async socket => {
    if (from === undefined) await sleep(ms)
    const behind = connect(url.slice('unix://'.length))
    behind.pipe(socket)
    for (const end of [socket, behind]) end.on('error', () => undefined)
    // Either end may go at any time: the other one then goes with it.
    await pipeline(socket, delay, behind).catch(() => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanUp(() => void server.close())
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A way to a Redis that can be cut: packets then vanish, and nobody is told. */
export interface CuttableRedis {
  url: string
  cut(): void
  /** Ends the connections that were cut, as a router does that has forgotten them, and lets new ones through. */
  heal(): void
}

/** Opens a way to the Redis at the socket `url`, over TCP. */
export async function startCuttableRedis(url: string): Promise<CuttableRedis> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer(socket => {
    const behind = connect(url.slice('unix://'.length))
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one)
      one.on('data', bytes => void (isCut || other.write(bytes)))
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        if (!isCut) other.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanUp(() => void server.close())
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true
    },
    heal: () => {
      isCut = false
      for (const socket of sockets) socket.destroy()
    },
  }
}
