import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '../pipeline/core/log.ts'
import { type Paths, PRIVATE_FOLDER_MODE } from '../pipeline/store/paths.ts'
import { hasDiskSpace } from './disk-space.ts'
import {
  endLeftover,
  launchRedis,
  type RedisServer,
  type ServerExit,
  toRedisUrl,
} from './redis-server.ts'
import { RestartDelay } from './restart-delay.ts'

const DISK_RETRY_MS = 1_000
/** Names of the folder and the file in which Redis keeps its data. */
const DATA_FILES = ['appendonlydir', 'dump.rdb']
/** Signals that are sent from outside: an exit by one of them does not mean that the data is unreadable. */
const KILL_SIGNALS: (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']

/**
 * Supervises a Redis of the registry's own: restarts it when it ends, waits while the disk is full,
 * and sets unreadable data aside, since it holds no facts.
 */
export class OwnRedis {
  readonly url: string
  readonly #paths: Paths
  readonly #log: Log
  readonly #delay = new RestartDelay()
  readonly #closing = new AbortController()
  #server: RedisServer | undefined
  #running: Promise<void> | undefined
  #isWaitingForDisk = false

  private constructor(paths: Paths, log: Log) {
    this.url = toRedisUrl(paths)
    this.#paths = paths
    this.#log = log
  }

  /**
   * Starts Redis and resolves once it answers, or once it waits for disk space. Fails with Redis's
   * message when it cannot run at all. This caller is the only one that starts Redis in the folder;
   * a leftover process is ended first.
   */
  static async start(paths: Paths, log: Log): Promise<OwnRedis> {
    mkdirSync(paths.redis, { recursive: true })
    chmodSync(paths.redis, PRIVATE_FOLDER_MODE)
    await endLeftover(paths)
    const redis = new OwnRedis(paths, log)
    const failed = await redis.#launch()
    if (failed) throw new Error(`redis-server does not start: ${toReason(failed)}`)
    redis.#running = redis.#superviseLoop()
    return redis
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#server?.close()
    await this.#running
  }

  async #superviseLoop(): Promise<void> {
    while (!this.#isClosing) {
      if (this.#server) this.#logEnd(await this.#server.ended)
      this.#server = undefined
      await this.#pause(this.#isWaitingForDisk ? DISK_RETRY_MS : this.#delay.next())
      if (this.#isClosing) return
      const failed = await this.#launch()
      if (failed) this.#log.error({ reason: toReason(failed) }, 'redis does not start')
      else if (this.#server) this.#log.info({ pid: this.pid }, 'redis started again')
    }
  }

  /** Launches a server unless the disk is full. Returns its exit if it ended before it answered. */
  async #launch(): Promise<ServerExit | undefined> {
    if (!this.#checkDisk()) return undefined
    const failed = await this.#launchServer()
    if (failed === undefined || this.#isClosing || !this.#checkDisk()) return undefined
    const mayBeData = !KILL_SIGNALS.includes(failed.signal) && hasData(this.#paths)
    return mayBeData ? this.#restartEmpty(failed) : failed
  }

  async #launchServer(): Promise<ServerExit | undefined> {
    const server = launchRedis(this.#paths)
    this.#server = server
    const failed = await server.ready
    if (failed) this.#server = undefined
    return failed
  }

  /**
   * Restarts Redis with empty data. If it does not start with that either, the data was not the cause and
   * is put back.
   */
  async #restartEmpty(failed: ServerExit): Promise<ServerExit | undefined> {
    const { redis, redisDamaged } = this.#paths
    rmSync(redisDamaged, { recursive: true, force: true })
    move(redis, redisDamaged)
    const again = await this.#launchServer()
    if (again) {
      for (const name of DATA_FILES) rmSync(join(redis, name), { recursive: true, force: true })
      move(redisDamaged, redis)
      rmSync(redisDamaged, { recursive: true, force: true })
      return failed
    }
    this.#log.error(
      { reason: toReason(failed), set_aside: redisDamaged },
      'redis cannot read its data: set aside, starting empty; lost jobs are dispatched again when due',
    )
    return undefined
  }

  #checkDisk(): boolean {
    const hasSpace = hasDiskSpace(this.#paths.redis)
    if (!hasSpace && !this.#isWaitingForDisk) {
      this.#log.error({ dir: this.#paths.dir }, 'the disk is full: redis waits for room')
    }
    this.#isWaitingForDisk = !hasSpace
    return hasSpace
  }

  #logEnd(exit: ServerExit): void {
    if (this.#isClosing) return
    const { status, signal } = exit
    this.#log.error({ status, signal, reason: toReason(exit) }, 'redis ended')
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  /** Returns the process of the server; undefined while none runs. */
  get pid(): number | undefined {
    return this.#server?.pid
  }

  #pause(ms: number): Promise<void> {
    return setTimeout(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined)
  }
}

function hasData({ redis }: Paths): boolean {
  return DATA_FILES.some(name => existsSync(join(redis, name)))
}

function move(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  for (const name of DATA_FILES.filter(file => existsSync(join(from, file)))) {
    renameSync(join(from, name), join(to, name))
  }
}

/**
 * Builds a reason from the last lines of its output, without pid, role, time and advice to the
 * system.
 */
function toReason({ stderr, status, signal }: ServerExit): string {
  // Who was killed could not say why: its last lines are older.
  if (signal === 'SIGKILL') return `ended with ${signal}`
  const lines = stderr
    .split('\n')
    .filter(line => !/# WARNING|Server initialized/.test(line))
    .map(line => line.replace(/^\d+:\w \d+ \w+ \d+ [\d:.]+ [.\-*#] /, ''))
  return lines.slice(-3).join(' ').trim() || `ended with ${signal ?? status}`
}
