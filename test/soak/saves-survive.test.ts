import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { openWriterClient, type WriterClient } from '../../jobs/api-client/writer-client.ts'
import { SUBMISSIONS } from '../../jobs/queues.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { readConfig } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { verify } from '../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../pipeline/model/submission.ts'
import { Reader } from '../../pipeline/read/reader.ts'
import type { Database } from '../../pipeline/store/database.ts'
import { steps } from '../../pipeline/writer/sequencer.ts'
import { waitUntil } from '../support/processes/command.ts'
import { startRedis, type TestRedis } from '../support/processes/redis.ts'
import { type Fault, ScriptProcess } from '../support/processes/script-process.ts'
import { generousTimeouts } from '../support/registry/generous-limits.ts'
import { cleanUp, createDataDir, openSequencer } from '../support/registry/registry.ts'

/** At these the next indexer comes so late that whoever waits is told 503 before. */
const LATE: readonly Fault['step'][] = ['index', 'serving']
const ANSWER_MS = 8_000
const LATE_MS = ANSWER_MS + 500
const faults = steps.flatMap(step =>
  (['before', 'after'] as const).map((moment): Fault => ({ step, moment })),
)

/** A save as it was asked for, with every answer to it. */
interface Asked {
  domain: string
  brand_name: string
  answers: { status: number; revision_number?: number }[]
}

interface Registry {
  dataDir: string
  redis: TestRedis
  writer: WriterClient
  secret: string
  save(asked: Asked, key?: string): Promise<void>
  /** Ends the API: one process opens a store once. */
  close(): Promise<void>
}

test('saves answered 200 exist and those answered 503 at most once, wherever the indexer is killed', async () => {
  const registry = await openAll()
  const { dataDir } = registry
  const asked: Asked[] = []
  let indexer = startIndexer(registry)
  await indexer.waitForLine('ready')
  await setUp(registry)
  for (const [round, fault] of faults.entries()) {
    const standby = isLate(fault) ? undefined : startIndexer(registry)
    await standby?.waitForLine('loaded')
    const saving = saveOver(registry, indexer, fault, round)
    if (standby === undefined) await indexer.ended.then(() => pause(LATE_MS))
    indexer = standby ?? startIndexer(registry)
    asked.push(...(await saving))
    await indexer.waitForLine('ready')
  }
  await waitUntilIdle(registry)
  await indexer.kill()
  await registry.close()
  const statuses = asked.flatMap(({ answers }) => answers.map(({ status }) => status))
  expect(new Set(statuses)).toEqual(new Set([200, 503]))

  const sequencer = await openSequencer({ dataDir })
  expect(await verify(sequencer)).toEqual([])
  const revisions = await revisionsIn(sequencer.index)
  await sequencer.close()
  checkLedger(asked, revisions)
})

const isLate = ({ step, moment }: Fault) => moment === 'after' && LATE.includes(step)

async function openAll(): Promise<Registry> {
  const dataDir = createDataDir()
  const redis = await startRedis()
  cleanUp(() => redis.close())
  const writer = openWriterClient(redis.url, silentLog, generousTimeouts)
  cleanUp(() => writer.close())
  const ofSaves = openWriterClient(redis.url, silentLog, {
    ...generousTimeouts,
    answerMs: ANSWER_MS,
  })
  cleanUp(() => ofSaves.close())
  const secret = `sk_${randomUUID()}`
  const limits = {
    savesPerHour: 10_000,
    savesPerOrganizationHour: 10_000,
    savesPerOrganizationDay: 10_000,
  }
  const config = readConfig({
    DATA_DIR: dataDir,
    BASE_URL: 'https://registry.example',
    LIMITS: JSON.stringify(limits),
  })
  const reader = new Reader(dataDir, systemClock)
  const app = buildApp({
    config,
    reader,
    writer: ofSaves,
    redis: redis.redis,
    clock: systemClock,
    log: silentLog,
  })
  const close = async () => {
    await app.close()
    await reader.close()
  }
  return { dataDir, redis, writer, secret, save: buildSaver(app, reader, secret), close }
}

function buildSaver(
  app: ReturnType<typeof buildApp>,
  reader: Reader,
  secret: string,
): Registry['save'] {
  return async ({ domain, brand_name, answers }, key) => {
    await reader.refresh()
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/api/brands/save',
      payload: { domain, brand_name },
      headers: { authorization: `Bearer ${secret}`, ...(key && { 'idempotency-key': key }) },
    })
    const { revision_number } = JSON.parse(body)
    answers.push({ status: statusCode, ...(revision_number && { revision_number }) })
  }
}

function startIndexer({ dataDir, redis }: Registry): ScriptProcess {
  return new ScriptProcess('indexer.ts', [
    dataDir,
    redis.url,
    JSON.stringify({ PUBLISH_EVERY: '1' }),
  ])
}

/** Sets up an organization with a key, whose domains are the only ones saved. */
async function setUp({ writer, secret }: Registry): Promise<void> {
  const hash = createHash('sha256').update(secret).digest('hex')
  const org = { org_id: randomUUID(), name: 'Acme' }
  const made = [
    { op: 'organization.create', ...org },
    { op: 'key.create', key_id: randomUUID(), org: 'Acme', label: '', hash },
    ...faults.flatMap((_, round) =>
      listDomains(round).map(domain => ({
        op: 'organization.domain.add',
        org: 'Acme',
        domain,
        proof: 'operator',
      })),
    ),
  ]
  for (const operation of made.slice(0, 2)) await submit(writer, operation)
  await Promise.all(made.slice(2).map(operation => submit(writer, operation)))
}

async function submit(writer: WriterClient, operation: object): Promise<void> {
  expect(await writer.submit(Operation.parse(operation))).toHaveProperty('done')
}

const listDomains = (round: number) => ['a', 'b', 'c'].map(name => `${name}-${round}.example`)

/**
 * Saves while the indexer is killed: two under a key, of which one asks until it is answered 200, and
 * one under none. The one that asks again edits once more after that.
 */
async function saveOver(
  { save }: Registry,
  indexer: ScriptProcess,
  fault: Fault,
  round: number,
): Promise<Asked[]> {
  indexer.send(JSON.stringify(fault))
  await indexer.waitForLine('armed')
  const asked = listDomains(round).map(
    (domain): Asked => ({ domain, brand_name: `First ${round}`, answers: [] }),
  )
  const [persistent, once, keyless] = asked as [Asked, Asked, Asked]
  const key = `save ${round}`.replace(' ', '-')
  await Promise.all([
    (async () => {
      do await save(persistent, key)
      while (persistent.answers.at(-1)!.status === 503)
    })(),
    save(once, `${key}-once`),
    save(keyless),
  ])
  expect(await indexer.ended).toBe('SIGKILL')
  const edit: Asked = { domain: persistent.domain, brand_name: `Second ${round}`, answers: [] }
  await save(edit, `${key}-edit`)
  return [...asked, edit]
}

/** Waits until every submission was carried out. */
async function waitUntilIdle({ redis: { redis } }: Registry): Promise<void> {
  await waitUntil(async () => (await redis.xlen(SUBMISSIONS.key)) === 0)
}

interface Made {
  domain: string
  revision_number: number
  brand_name: string
  revision_id: string
}

const revisionsIn = (index: Database) =>
  index.all<Made>(
    `select domain, revision_number as revision_number, state->>'brand_name' as brand_name,
       revision_id, editor_id from revisions order by domain, revision_number`,
  )

/** Checks that a save answered 200 was made once and as answered, and any other at most once. */
function checkLedger(asked: readonly Asked[], revisions: readonly Made[]): void {
  for (const { domain, brand_name, answers } of asked) {
    const made = revisions.filter(
      revision => revision.domain === domain && revision.brand_name === brand_name,
    )
    const taken = answers.filter(({ status }) => status === 200)
    expect(made.length, `${brand_name} of ${domain}`).toBeLessThanOrEqual(1)
    if (taken.length > 0) expect(made, `${brand_name} of ${domain}`).toHaveLength(1)
    for (const { revision_number = 1 } of taken) {
      expect(made[0]!.revision_number).toBe(revision_number)
    }
  }
  expect(
    revisions.every(({ brand_name }) => asked.some(save => save.brand_name === brand_name)),
  ).toBe(true)
}
