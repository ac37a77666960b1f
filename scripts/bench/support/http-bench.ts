import type { Profiler } from 'node:inspector'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OwnRedis } from '../../../jobs/own-redis.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { getFirst } from '../../../pipeline/core/present.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { builtFolder, Child, root } from './child.ts'
import {
  formatRequest,
  type LoadClient,
  type LoadRunner,
  type Question,
  type Run,
  type Server,
  startLoadClient,
  startLoadRunner,
} from './load-runner.ts'
import type { Options } from './options.ts'
import { runInterleaved } from './pairs.ts'
import { readOwnMemoryMB, readProcessorTime } from './usage.ts'

/** Slices in turn; `control` is a second process of our own build. */
export interface Comparison {
  rounds: ({ ours: Run; bare: Run } & Record<string, Run>)[]
}

const WARM_SECONDS = 2
/** An API is idle once it needs no more than this processor time in so many milliseconds. */
const IDLE_SECONDS = 0.01
const IDLE_MS = 300
const API = 'scripts/registry.js'
const SAMPLES_MAX = 200

/** Runs the shipped API, each time as one process, with Redis and a load client beside it. */
export class HttpBench {
  /** Time from the start of the API's process until `/readyz` answers 200. */
  readonly readyMs: number
  readonly #options: Options
  readonly #redis: { url: string; close(): Promise<void> }
  readonly #api: Server
  readonly #env: Record<string, string>
  readonly #load: LoadClient

  private constructor(
    options: Options,
    redis: { url: string; close(): Promise<void> },
    api: Server,
    env: Record<string, string>,
    load: LoadClient,
    readyMs: number,
  ) {
    this.#options = options
    this.#redis = redis
    this.#api = api
    this.#env = env
    this.#load = load
    this.readyMs = readyMs
  }

  /** Starts the API with the default settings and these limits. */
  private static async start(
    options: Options,
    limits: Record<string, number>,
    program: string,
  ): Promise<HttpBench> {
    const redis = await OwnRedis.start(resolvePaths(options.folder), silentLog)
    const env = {
      DATA_DIR: options.folder,
      PORT: '0',
      REDIS_URL: redis.url,
      LIMITS: JSON.stringify(limits),
    }
    try {
      const started = performance.now()
      const api: Server = await Child.start(join(builtFolder, program), { args: ['api'], env })
      const ready = await fetch(`${api.ready.url}/readyz`)
      if (ready.status !== 200) throw new Error(`/readyz answers ${ready.status}`)
      const readyMs = performance.now() - started
      await waitUntilIdle(api)
      const load = await startLoadClient()
      return new HttpBench(options, redis, api, env, load, readyMs)
    } catch (error) {
      // It would outlive this process.
      await redis.close()
      throw error
    }
  }

  /** Starts the API, runs `work` and stops everything, also where `work` throws. */
  static async with<Result>(
    options: Options,
    limits: Record<string, number>,
    work: (bench: HttpBench) => Promise<Result>,
    program = API,
  ): Promise<Result> {
    const bench = await HttpBench.start(options, limits, program)
    try {
      return await work(bench)
    } finally {
      await bench.close()
      options.tidy()
    }
  }

  get url(): string {
    return this.#api.ready.url
  }

  get redisUrl(): string {
    return this.#redis.url
  }

  get apiMemoryMB(): number {
    return readOwnMemoryMB(this.#api.pid)
  }

  /**
   * Compares ours with a bare server that sends the same headers and, on average, as many bytes, with a second
   * process of ours, and with another build if there is one.
   */
  async compare(questions: readonly Question[]): Promise<Comparison> {
    const sample = await this.#sample(questions)
    const { method, path, route = path.split('?')[0] } = getFirst(questions)
    const shape = { method, path: route, ...sample }
    const bare = await Child.start<{ url: string }>(join(root, 'scripts/bench/bare/server.mjs'), {
      args: [JSON.stringify(shape)],
    })
    const { pairs, seconds, against } = this.#options
    const others: Record<string, Server> = {
      bare,
      control: await startApi(join(builtFolder, API), this.#env),
    }
    if (against !== undefined)
      others.against = await startApi(join(against, 'dist', API), this.#env)
    const requests = questions.map(formatRequest)
    const runners: Record<string, () => Promise<Run>> = {}
    for (const [name, server] of Object.entries({ ours: this.#api, ...others })) {
      const run = await this.#createRunner(name, server, requests)
      await run(Math.min(WARM_SECONDS, 4 * seconds))
      runners[name] = () => run(seconds)
    }
    const rounds = await runInterleaved(pairs, runners)
    for (const server of Object.values(others)) await server.stop()
    return { rounds: rounds as Comparison['rounds'] }
  }

  /** Prepares a run against ours alone, which sends these questions in turn; `set` tells runs apart. */
  drive(questions: readonly Question[], set = 'alone'): Promise<(seconds: number) => Promise<Run>> {
    return this.#createRunner(set, this.#api, questions.map(formatRequest), {
      kinds: questions.map(({ kind = '' }) => kind),
    })
  }

  /** Measures where the time goes in the API, started by `profiled-api.ts`, while it answers these questions. */
  async profile(questions: readonly Question[]): Promise<{ run: Run; profile: Profiler.Profile }> {
    const run = await this.drive(questions, 'profiled')
    const { seconds } = this.#options
    await run(Math.min(WARM_SECONDS, seconds))
    await this.#api.ask({ profile: 'start' })
    const measured = await run(seconds)
    return { run: measured, profile: await this.#api.ask({ profile: 'stop' }) }
  }

  async close(): Promise<void> {
    await this.#load.stop()
    await this.#api.stop()
    await this.#redis.close()
  }

  #createRunner(
    set: string,
    server: Server,
    requests: string[],
    {
      client = this.#load,
      connections = this.#options.connections,
      kinds,
    }: { client?: LoadClient; connections?: number; kinds?: string[] } = {},
  ): Promise<LoadRunner> {
    return startLoadRunner(client, server, { set, requests, kinds, connections })
  }

  /** Samples the mean size of the answers and the headers of a successful one. */
  async #sample(questions: readonly Question[]) {
    let bytes = 0
    let headers: Record<string, string> = {}
    const every = Math.max(1, Math.floor(questions.length / SAMPLES_MAX))
    const sampled = questions.filter((_, i) => i % every === 0)
    for (const { method, path, headers: requestHeaders = {}, body = null } of sampled) {
      const answer = await fetch(new URL(path, this.#api.ready.url), {
        method,
        // Both runners send uncompressed bytes, unless the question asks for an encoding.
        headers: { 'accept-encoding': 'identity', ...requestHeaders },
        body,
      })
      bytes += (await answer.arrayBuffer()).byteLength
      if (answer.ok) headers = Object.fromEntries(answer.headers)
    }
    for (const own of ['date', 'connection', 'keep-alive', 'content-length']) delete headers[own]
    return { headers, bytes: Math.round(bytes / sampled.length) }
  }
}

/** Starts an API; resolves when it answers and has built what it builds beside that. */
async function startApi(program: string, env: Record<string, string>): Promise<Server> {
  const server: Server = await Child.start(program, { args: ['api'], env })
  await waitUntilIdle(server)
  return server
}

async function waitUntilIdle(server: Server): Promise<void> {
  for (let used = 1; used > IDLE_SECONDS; ) {
    const before = readProcessorTime(server.pid).all
    await sleep(IDLE_MS)
    used = readProcessorTime(server.pid).all - before
  }
}
