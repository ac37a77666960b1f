import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWriterClient, type WriterClient } from '../../jobs/api-client/writer-client.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { fileKinds, type Source, toUrl } from '../../pipeline/model/observation.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { openRecordReadOnly } from '../../pipeline/store/record.ts'
import type { CrawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import {
  Command,
  type Environment,
  makeTemporaryFolder,
  waitUntil,
} from '../support/processes/command.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { generousTimeouts } from '../support/registry/generous-limits.ts'
import { type Origin, serveOrigin } from '../support/servers/origin.ts'

const DOMAINS = 300
const FILES = DOMAINS * 2
const domains = Array.from({ length: DOMAINS }, (_, i) => `d${i}.example` as Domain)

const folder = makeTemporaryFolder()
let origin: Origin
let redis: TestRedis
let writer: WriterClient
let env: Environment
let indexer: Command
let crawler: Command

/** Files that are served before the others wait for the next kill, however slowly they are committed. */
let most = 0
const served = new Set<string>()

async function admit(address: string): Promise<void> {
  while (served.size >= most && !served.has(address)) await pause(20)
  served.add(address)
}

/** Serves a small valid file or 404, slowly, so that a kill comes in the middle. */
async function serveFiles(): Promise<Origin> {
  return serveOrigin(async (request, response, path) => {
    await pause(100)
    if (path.endsWith('.json')) await admit(`${request.headers.host}${path}`)
    if (request.headers.host!.includes('7')) response.writeHead(404)
    const brand = { id: 'acme', names: [{ en: 'Acme' }] }
    response.end(JSON.stringify(path.includes('brand') ? brand : { authorized_agents: [] }))
  })
}

function startRoles(): void {
  indexer = new Command(['indexer'], env)
  crawler = new Command(['crawler'], env)
}

async function stopRoles(...roles: Command[]): Promise<void> {
  for (const role of roles) role.child.kill('SIGKILL')
  await Promise.all(roles.map(role => role.finish()))
}

/** Converts a source to its address, as the origin records it. */
const toAddress = (source: Source) => toUrl(source).slice('https://'.length)

/** Lists the addresses of files whose observation is in the index. */
function listCommitted(): string[] {
  const record = openRecordReadOnly(resolvePaths(folder.path).record)
  const rows = record.all<Source>(
    'select kind, location from crawl_state where attempted_at is not null',
  )
  record.close()
  return rows.map(toAddress)
}

/** Files that are answered for, when it is one more than so many. */
function waitForAnswers(more: number, since: number): Promise<number> {
  return waitUntil(async () => {
    const question = { ask: 'crawl_summary', since, withFaults: false } as const
    const { outcomes } = await writer.ask<CrawlSummary>(question)
    const known = outcomes.filter(({ kind }) => kind !== 'ads.txt')
    const files = known.reduce((sum, outcome) => sum + outcome.files, 0)
    return files > more && files
  })
}

beforeAll(async () => {
  origin = await serveFiles()
  redis = await startRedis()
  env = {
    DATA_DIR: folder.path,
    REDIS_URL: redis.url,
    CRAWL_CONNECT_TO: origin.url,
    CRAWL_CONCURRENCY: '4',
    LOG_LEVEL: 'warn',
    LIMITS: JSON.stringify({
      crawlBatchSources: 40,
      bulkCommitWaitMs: 500,
      jobLockMs: 6_000,
      // The origin holds files back until the next kill.
      fetchMs: 120_000,
      crawlLostMs: 30_000,
    }),
  }
  writer = openWriterClient(redis.url, silentLog, generousTimeouts)
})

afterAll(async () => {
  await Promise.all([crawler, indexer].map(role => role?.interrupt()))
  await writer.close()
  await redis.close()
  await origin.close()
  folder.remove()
})

describe('a crawl whose crawler and indexer are killed', () => {
  it('continues: each file is fetched, and none again that was committed', async () => {
    const since = Date.now()
    startRoles()
    await waitUntil(async () => {
      await writer.submit({ op: 'domains.add', domains, again: false })
      return true
    })

    const kills: { done: string[]; before: number }[] = []
    for (const share of [0.2, 0.5]) {
      most = FILES * (share + 0.25)
      await waitForAnswers(FILES * share, since)
      await stopRoles(crawler, indexer)
      kills.push({ done: listCommitted(), before: origin.asked.length })
      startRoles()
    }
    most = FILES
    await waitForAnswers(FILES - 1, since)

    for (const { done, before } of kills) {
      expect(done.length).toBeGreaterThan(0)
      expect(new Set(origin.asked.slice(0, before)).size).toBeLessThan(FILES)
      const later = new Set(origin.asked.slice(before))
      expect(done.filter(address => later.has(address))).toEqual([])
    }
    const times = new Map<string, number>()
    for (const address of origin.asked) times.set(address, (times.get(address) ?? 0) + 1)
    const expected = domains.flatMap(location =>
      fileKinds.map(kind => toAddress({ kind, location })),
    )
    expect(expected.filter(address => !times.has(address))).toEqual([])
    expect(Math.max(...times.values())).toBeLessThanOrEqual(3)
    // What was fetched twice was under way, or not yet sent, when its crawler was killed.
    expect(origin.asked.length - times.size).toBeLessThan(FILES / 4)
  })
})
