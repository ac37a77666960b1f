import { createHash, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { openWriterClient, type WriterClient } from '../../../jobs/api-client/writer-client.ts'
import { OwnRedis } from '../../../jobs/own-redis.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { builtFolder, Child } from './child.ts'
import { computeMedian } from './spread.ts'

const many = 1_000_000_000
const limits = {
  savesPerHour: many,
  savesPerOrganizationHour: many,
  savesPerOrganizationDay: many,
  // A slow save is to be measured, not refused as too slow.
  answerMs: 60_000,
}
const org = 'Bench'

export interface SaveRun {
  p50Ms: number
  perSecond: number
  /** Commits per save. */
  commits: number
  saves: number
  p99Ms: number
  worstMs: number
}

/** Commits that the indexer has logged. */
interface Commits {
  count: number
  /** Commits of observations, and the time of the longest. */
  bulk: number
  longestBulkMs: number
}

/** Runs a shipped indexer and API, with an organization that may save all domains below one. */
export class SaveRig {
  readonly #redis: OwnRedis
  readonly #roles: Child<object, never, never>[]
  readonly #port: number
  readonly #secret: string
  readonly #commits: Commits
  #saves = 0

  private constructor(parts: {
    redis: OwnRedis
    roles: Child<object, never, never>[]
    port: number
    secret: string
    commits: Commits
  }) {
    this.#redis = parts.redis
    this.#roles = parts.roles
    this.#port = parts.port
    this.#secret = parts.secret
    this.#commits = parts.commits
  }

  static async start(folder: string): Promise<SaveRig> {
    const redis = await OwnRedis.start(resolvePaths(folder), silentLog)
    const env = {
      DATA_DIR: folder,
      REDIS_URL: redis.url,
      PORT: '0',
      LIMITS: JSON.stringify(limits),
    }
    const commits: Commits = { count: 0, bulk: 0, longestBulkMs: 0 }
    const onLine = (line: string) => {
      if (!line.includes('"committed"')) return
      commits.count++
      const { observations, ms } = JSON.parse(line) as { observations: number; ms: number }
      if (observations === 0) return
      commits.bulk++
      commits.longestBulkMs = Math.max(commits.longestBulkMs, ms)
    }
    const file = `${builtFolder}/scripts/bench/support/night-role.js`
    const start = <Ready extends object>(role: string) =>
      Child.start<Ready>(file, { args: [role, '0'], env, onLine })
    const indexer = await start('indexer')
    const secret = await makeKey(openWriterClient(redis.url, silentLog))
    const api = await start<{ url: string }>('api')
    const port = Number(new URL(api.ready.url).port)
    return new SaveRig({ redis, roles: [api, indexer], port, secret, commits })
  }

  get redisUrl(): string {
    return this.#redis.url
  }

  get commits(): Readonly<Commits> {
    return this.#commits
  }

  /** Saves over `connections` connections, each sending the next save once the last is answered. */
  run(connections: number, seconds: number, domains: number): Promise<SaveRun> {
    const until = performance.now() + seconds * 1_000
    return this.runWhile(() => performance.now() < until, connections, domains)
  }

  async runWhile(isOn: () => boolean, connections: number, domains: number): Promise<SaveRun> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const times: number[] = []
    const { count } = this.#commits
    const started = performance.now()
    const connection = async () => {
      while (isOn()) {
        const before = performance.now()
        await this.#save(agent, `d${this.#saves++ % domains}.bench.example`)
        times.push(performance.now() - before)
      }
    }
    await Promise.all(Array.from({ length: connections }, connection))
    const elapsedS = (performance.now() - started) / 1_000
    agent.destroy()
    return {
      p50Ms: computeMedian(times),
      perSecond: times.length / elapsedS,
      commits: (this.#commits.count - count) / times.length,
      saves: times.length,
      p99Ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0,
      worstMs: Math.max(...times),
    }
  }

  async close(): Promise<void> {
    for (const role of this.#roles) await role.stop()
    await this.#redis.close()
  }

  #save(agent: Agent, domain: string): Promise<void> {
    const body = JSON.stringify({ domain, brand_name: `Bench ${this.#saves}` })
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          port: this.#port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/api/brands/save',
          headers: {
            authorization: `Bearer ${this.#secret}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        answer => {
          let text = ''
          answer.on('data', chunk => {
            text += chunk
          })
          answer.on('end', () =>
            answer.statusCode === 200 ? resolve() : reject(new Error(`not saved: ${text}`)),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

/** Creates the organization; returns the secret of its key. */
async function makeKey(writer: WriterClient): Promise<string> {
  const secret = `sk_${randomUUID()}`
  const hash = createHash('sha256').update(secret).digest('hex')
  await writer.submit({ op: 'organization.create', org_id: randomUUID(), name: org })
  await writer.submit({ op: 'key.create', key_id: randomUUID(), org, label: '', hash })
  const domain = 'bench.example' as Domain
  await writer.submit({ op: 'organization.domain.add', org, domain, proof: 'operator' })
  await writer.close()
  return secret
}
