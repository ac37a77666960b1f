import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { silentLog } from '../pipeline/core/log.ts'
import type { Paths } from '../pipeline/store/paths.ts'
import { endProcess, isAlive } from './child-process.ts'
import { connectRedis } from './redis.ts'

const END_MS = 5_000
const POLL_MS = 20
const STDERR_WAIT_MS = 200
const STDERR_CHARS = 2_000

/** Exit of a server process. */
export interface ServerExit {
  status: number | null
  signal: NodeJS.Signals | null
  /** Its last output, which may contain the reason. */
  stderr: string
}

/** A redis-server process that was launched. */
export interface RedisServer {
  pid: number | undefined
  /** Resolves with undefined once it answers, or with its exit if that comes first. */
  ready: Promise<ServerExit | undefined>
  ended: Promise<ServerExit>
  close(): Promise<void>
}

export function toRedisUrl({ redisSocket }: Paths): string {
  return `unix://${redisSocket}`
}

/**
 * Launches a redis-server on a socket below DATA_DIR. It writes every job to disk before accepting
 * it and never evicts one; beyond `maxBytes` it refuses. Loading its data may take any time.
 */
export function launchRedis(paths: Paths, maxBytes = computeMaxBytes()): RedisServer {
  rmSync(paths.redisSocket, { force: true })
  const settings = {
    port: '0',
    unixsocket: paths.redisSocket,
    unixsocketperm: '700',
    dir: paths.redis,
    pidfile: paths.redisPid,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    maxmemory: String(maxBytes),
    'maxmemory-policy': 'noeviction',
    loglevel: 'warning',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = waitForExit(child)
  return {
    pid: child.pid,
    ended,
    ready: waitUntilAnswering(toRedisUrl(paths), ended),
    close: () => endProcess(child, END_MS),
  }
}

/**
 * Computes how much memory the server may use: a quarter of what this machine or container has, since a rewrite of its
 * file may take as much again, and the registry needs the rest.
 */
function computeMaxBytes(): number {
  const room = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.floor(room / 4)
}

function waitForExit(child: ChildProcess): Promise<ServerExit> {
  let stderr = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', text => {
      stderr = (stderr + text).slice(-STDERR_CHARS)
    })
  }
  return new Promise(resolve => {
    child.once('error', error => resolve({ status: null, signal: null, stderr: error.message }))
    child.once('exit', async (status, signal) => {
      // A forked rewrite of the append-only file keeps the streams open after the server's exit.
      await Promise.race([
        new Promise(closed => child.once('close', closed)),
        setTimeout(STDERR_WAIT_MS),
      ])
      resolve({ status, signal, stderr: stderr.trim() })
    })
  })
}

/** Waits until the server answers. One that is still loading accepts connections but does not answer yet. */
async function waitUntilAnswering(
  url: string,
  ended: Promise<ServerExit>,
): Promise<ServerExit | undefined> {
  const redis = connectRedis(url, 'failFast', silentLog)
  const ready = new Promise<undefined>(resolve => redis.once('ready', () => resolve(undefined)))
  try {
    return await Promise.race([ready, ended])
  } finally {
    redis.disconnect()
  }
}

/**
 * Ends a server left behind by a killed `start`, so that two never write into one folder.
 * Everything it accepted is on disk, so it may be killed.
 */
export async function endLeftover(paths: Paths): Promise<void> {
  const pid = findRedisPid(paths)
  if (pid !== undefined) {
    for (const [signal, ms] of [
      ['SIGTERM', END_MS],
      ['SIGKILL', END_MS],
    ] as const) {
      if (await endPid(pid, signal, ms)) break
    }
  } else if (await isAccepting(paths.redisSocket)) {
    await shutDown(toRedisUrl(paths), paths.redisSocket)
  }
  rmSync(paths.redisPid, { force: true })
}

/** Finds the process of the pid file, if it is still a server of this folder. */
export function findRedisPid({ redis, redisPid }: Paths): number | undefined {
  if (!existsSync(redisPid)) return undefined
  const pid = Number(readFileSync(redisPid, 'utf8'))
  if (!Number.isInteger(pid) || pid < 2 || !isAlive(pid)) return undefined
  try {
    // The pid may belong to another process by now; a server's working directory is its folder.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(redis) ? pid : undefined
  } catch {
    return undefined
  }
}

async function endPid(pid: number, signal: NodeJS.Signals, ms: number): Promise<boolean> {
  try {
    process.kill(pid, signal)
  } catch {
    return true
  }
  for (const end = performance.now() + ms; performance.now() < end; await setTimeout(POLL_MS)) {
    if (!isAlive(pid)) return true
  }
  return false
}

function isAccepting(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const connection = connect(socket)
    const settle = (is: boolean) => {
      connection.destroy()
      resolve(is)
    }
    connection.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}

/** Asks a server whose process is not known to end. */
async function shutDown(url: string, socket: string): Promise<void> {
  const redis = connectRedis(url, 'failFast', silentLog)
  redis.once('ready', () => redis.shutdown('NOSAVE').catch(() => undefined))
  for (
    const end = performance.now() + END_MS;
    await isAccepting(socket);
    await setTimeout(POLL_MS)
  ) {
    if (performance.now() > end) throw new Error(`a Redis on ${socket} does not end`)
  }
  redis.disconnect()
}
