import { setTimeout } from 'node:timers/promises'
import { openWriterClient, type WriterClient } from '../../../jobs/api-client/writer-client.ts'
import { OwnRedis } from '../../../jobs/own-redis.ts'
import { connectRedis, type Redis } from '../../../jobs/redis.ts'
import { HOUR } from '../../../pipeline/core/clock.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { type Paths, resolvePaths } from '../../../pipeline/store/paths.ts'
import type { CrawlSummary } from '../../../pipeline/writer/crawl/crawl-summary.ts'
import { addDomains } from '../../commands/crawl.ts'
import { builtFolder, Child } from './child.ts'
import { CommitLog, type Commits } from './commit-log.ts'
import { type RoleName, roles } from './night-role.ts'
import type { NightQuestion } from './night-world.ts'
import { readCpuSeconds, watchMemory } from './usage.ts'

const POLL_MS = 1_000
const MEMORY_MS = 100
/** Longer than a day by the jitter of daily due times, so that every daily file is due at once. */
const NIGHT_MS = 27 * HOUR
/** A file that was absent in two nights becomes due again after this many nights. */
const QUIET_NIGHTS = 2
/** Polls in a row that must find nothing waiting: what a commit makes due is then done too. */
const QUIET_POLLS = 2

type World = Child<{ url: string }, NightQuestion, { requests: number }>
type RoleChild = Child<object, { offsetMs: number }, object>

/**
 * Runs a whole registry, each shipped role in a child process, over a web of its own. Nights follow
 * each other at once: all roles are set to the same later time.
 */
export class RegistryRig {
  readonly paths: Paths
  readonly worldUrl: string
  readonly #world: World
  readonly #redis: OwnRedis
  readonly #asking: Redis
  readonly #writer: WriterClient
  readonly #roles = new Map<RoleName, RoleChild>()
  /** One watcher for each process that a role has had. */
  readonly #memories: ({ role: RoleName } & ReturnType<typeof watchMemory>)[] = []
  readonly #env: Record<string, string>
  readonly #log = new CommitLog()
  #night = 1
  /** The night whose web is served; in a quiet night that of the night before. */
  #webNight = 1

  private constructor(folder: string, world: World, redis: OwnRedis, env: Record<string, string>) {
    this.paths = resolvePaths(folder)
    this.worldUrl = world.ready.url
    this.#world = world
    this.#redis = redis
    this.#asking = connectRedis(redis.url, 'failFast', silentLog)
    this.#writer = openWriterClient(redis.url, silentLog)
    this.#env = {
      DATA_DIR: folder,
      REDIS_URL: redis.url,
      CRAWL_CONNECT_TO: world.ready.url,
      PORT: '0',
      ...env,
    }
  }

  /** Starts every role but the crawler, which the bench starts once domains are submitted. */
  static async start(
    folder: string,
    domains: number,
    env: Record<string, string> = {},
  ): Promise<RegistryRig> {
    const file = `${builtFolder}/scripts/bench/support/night-world.js`
    const world: World = await Child.start(file, { args: [String(domains)] })
    const redis = await OwnRedis.start(resolvePaths(folder), silentLog)
    const rig = new RegistryRig(folder, world, redis, env)
    for (const role of roles) if (role !== 'crawler') await rig.startRole(role)
    return rig
  }

  async startRole(role: RoleName): Promise<void> {
    const file = `${builtFolder}/scripts/bench/support/night-role.js`
    const child: RoleChild = await Child.start(file, {
      args: [role, String(this.#clockOffsetMs)],
      env: this.#env,
      onLine: line => this.#log.hear(line),
    })
    this.#roles.set(role, child)
    this.#memories.push({ role, ...watchMemory(child.pid, MEMORY_MS) })
  }

  /** Submits domains; their files are due at once. */
  add(domains: readonly string[]): Promise<void> {
    return addDomains(
      operation => this.#writer.submit(operation),
      domains as readonly Domain[],
      false,
    )
  }

  /** Moves on to the next day: every role's clock advances and the web changes. */
  async nextNight(): Promise<void> {
    this.#night++
    this.#webNight = this.#night
    await this.#world.ask({ night: this.#webNight })
    await this.#moveClocks()
  }

  /** Makes all files due once more, each as it was in the second night. */
  async quietNight(): Promise<void> {
    this.#night += QUIET_NIGHTS
    await this.#moveClocks()
  }

  async #moveClocks(): Promise<void> {
    const question = { offsetMs: this.#clockOffsetMs }
    await Promise.all([...this.#roles.values()].map(child => child.ask(question)))
  }

  /** Waits until no file is due; returns what the index holds then. */
  async untilQuiet(): Promise<CrawlSummary> {
    for (let quiet = 0; ; await setTimeout(POLL_MS)) {
      const summary = await this.#summary()
      quiet = summary?.waiting === 0 ? quiet + 1 : 0
      if (summary !== undefined && quiet === QUIET_POLLS) return summary
    }
  }

  async publish(): Promise<void> {
    await this.#writer.ask({ ask: 'publish' })
  }

  verify(): Promise<string[]> {
    return this.#writer.ask({ ask: 'verify' })
  }

  async requests(): Promise<number> {
    return (await this.#world.ask({ night: this.#webNight })).requests
  }

  /** Returns 0 while the role is not running. */
  cpuSeconds(role: RoleName): number {
    const child = this.#roles.get(role)
    return child === undefined ? 0 : readCpuSeconds(child.pid)
  }

  peakMB(role: RoleName): number {
    return Math.max(
      ...this.#memories.filter(memory => memory.role === role).map(memory => memory.peakMB()),
    )
  }

  redisPeakMB(): Promise<number> {
    return this.#redisMemory('used_memory_peak')
  }

  /** Returns the commits since the last call. */
  takeCommits(): Commits {
    return this.#log.take()
  }

  async stopRoles(): Promise<void> {
    for (const role of [...roles].reverse()) await this.#roles.get(role)?.stop()
    this.#roles.clear()
  }

  async close(): Promise<void> {
    await this.stopRoles()
    for (const memory of this.#memories) memory.stop()
    await this.#writer.close()
    this.#asking.disconnect()
    await this.#redis.close()
    await this.#world.stop()
  }

  get #clockOffsetMs(): number {
    return (this.#night - 1) * NIGHT_MS
  }

  async #redisMemory(name: string): Promise<number> {
    const info = await this.#asking.info('memory')
    return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]) / 1e6
  }

  /** Resolves to undefined while the indexer is away. */
  #summary(): Promise<CrawlSummary | undefined> {
    const question = { ask: 'crawl_summary', since: 0, withFaults: false } as const
    return this.#writer.ask<CrawlSummary>(question).catch(() => undefined)
  }
}
