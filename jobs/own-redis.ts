import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../pipeline/core/log.ts'
import { type Paths, PRIVATE } from '../pipeline/index/paths.ts'
import { connectRedis } from './redis.ts'

const READY_MS = 10_000

export interface OwnRedis {
  url: string
  /** Fires when the server ends without being told to. */
  onExit(told: () => void): void
  close(): Promise<void>
}

/**
 * A Redis of the registry's own, on a socket below DATA_DIR. It writes every job to disk before it
 * accepts it and never evicts one. A server that a killed start left behind is taken over.
 */
export async function startRedis(paths: Paths, log: Log): Promise<OwnRedis> {
  const url = `unix://${paths.redisSocket}`
  mkdirSync(paths.redis, { recursive: true })
  chmodSync(paths.redis, PRIVATE)
  const child = (await answers(url, log)) ? undefined : await launch(paths)
  const redis = connectRedis(url, 'work', log)
  await redis.ping()
  let isEnding = false
  return {
    url,
    onExit(told) {
      child?.once('exit', () => isEnding || told())
    },
    async close() {
      isEnding = true
      redis.shutdown().catch(() => undefined)
      if (child && child.exitCode === null) await new Promise(done => child.once('exit', done))
      redis.disconnect()
    },
  }
}

async function answers(url: string, log: Log): Promise<boolean> {
  if (!existsSync(url.slice('unix://'.length))) return false
  const redis = connectRedis(url, 'ask', log.child({}, { level: 'silent' }))
  const isUp = await new Promise<boolean>(resolve => {
    redis.once('ready', () => resolve(true))
    redis.once('error', () => resolve(false))
    setTimeout(READY_MS, undefined, { ref: false }).then(() => resolve(false))
  })
  redis.disconnect()
  return isUp
}

async function launch(paths: Paths): Promise<ChildProcess> {
  rmSync(paths.redisSocket, { force: true })
  const settings = {
    port: '0',
    unixsocket: paths.redisSocket,
    unixsocketperm: '700',
    dir: paths.redis,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'maxmemory-policy': 'noeviction',
    loglevel: 'warning',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn('redis-server', args, { stdio: 'ignore', detached: true })
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  const opened = waitForFile(paths.redisSocket).then(() => child)
  return Promise.race([failed, opened])
}

async function waitForFile(path: string): Promise<void> {
  for (const end = performance.now() + READY_MS; !existsSync(path); await setTimeout(20)) {
    if (performance.now() > end) throw new Error('redis-server does not start')
  }
}
