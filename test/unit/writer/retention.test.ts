import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { openAsOfNow } from '../../../pipeline/store/record.ts'
import type { Batch } from '../../../pipeline/writer/apply-context.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../../support/checks/feed.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import {
  buildOrganizationWrite,
  buildProofWrite,
  buildPropertiesSave,
  buildSubmission,
} from '../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const start = '2026-01-10T03:00Z'

function listBodies(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(name => `${folder}/${name}`)
    .filter(name => name.endsWith('.gz'))
}

function withBytes(batch: Batch): Batch {
  const observations = batch.observations.map(observation =>
    observation.hash === undefined
      ? observation
      : { ...observation, body: Buffer.from(observation.hash) },
  )
  return { ...batch, observations }
}

/** Creates a person who requested a crawl, was a member, held a role and was named in replaced rows. */
async function createPerson(registry: Sequencer): Promise<void> {
  const request = { crawl_request_id: randomUUID(), scope: 'domain', requested_by: 'ada' }
  const person = { org: 'Acme', user_id: 'ada' }
  const role = { role: 'moderator', holder: 'user', id: 'ada' }
  const run = {
    run_id: randomUUID(),
    kind: 'run',
    agent_url: 'https://acme.example/mcp',
    storyboard_id: 'capability_discovery',
    org_id: 'acme',
    requested_by: 'ada',
    tested_at: '2026-01-10T03:00:00.000Z',
    duration_ms: 1,
    status: 'passing',
    steps_passed: 1,
    steps_total: 1,
    failure_count: 0,
    skipped_count: 0,
    first_failed_step_id: null,
    first_failed_step_title: null,
    first_failed_step_task: null,
    first_failure_message: null,
  }
  const operations = [
    { op: 'crawl.request', domain: 'acme.example', ...request },
    { op: 'storyboard.record', ...run },
    { op: 'membership.set', ...person, role: 'owner' },
    { op: 'membership.remove', ...person },
    { op: 'role.grant', ...role },
    { op: 'role.revoke', ...role },
  ]
  const known = [buildOrganizationWrite('Acme'), buildProofWrite('Acme', 'acme.example')]
  await registry.commit({ observations: [], submissions: known })
  const submissions = [
    buildPropertiesSave('Acme', 'acme.example', ['One']),
    buildPropertiesSave('Acme', 'acme.example', ['One', 'Two']),
    ...operations.map((operation, i) => buildSubmission(`${i}`, Operation.parse(operation))),
  ]
  const { answers } = await registry.commit({ observations: [], submissions })
  for (const answer of answers.values()) expect(answer).toHaveProperty('done')
}

let additions = 0

/** Passes some days of a registry; on the last two of them it commits, as a running one does every day. */
async function passDays(registry: Sequencer, clock: TestClock, days: number): Promise<void> {
  for (const part of [days - 1, 1]) {
    clock.tick({ days: part })
    const domains = [`added-${++additions}.example`]
    const operation = Operation.parse({ op: 'domains.add', domains, again: false, why: 'demanded' })
    const submissions = [buildSubmission(`addition ${additions}`, operation)]
    await registry.commit({ observations: [], submissions })
  }
}

describe('retention', () => {
  it.each([
    ['and nothing is committed meanwhile', 100, false],
    ['and a file is committed meanwhile', 100, true],
    ['by years, and a file is committed meanwhile', 4_000, true],
  ])('deletes nothing because the clock is wrong for seconds, %s', async (_, days, hasCommit) => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    await createPerson(registry)
    await registry.commit(buildBaseBatch(clock.now()))
    await passDays(registry, clock, 2)
    const before = await readFeeds(registry)
    const list = (table: string) =>
      registry.accounts.db.all(`select * from ${table} order by rowid`)
    const tables = ['crawl_requests', 'memberships', 'roles', 'property_contacts']
    const rows = tables.map(list)
    clock.tick({ days })
    if (hasCommit) await registry.commit(buildNextBatch(clock.now()))
    await registry.retain()
    clock.tick({ days: -days, ms: 5_000 })
    await registry.retain()
    const after = await readFeeds(registry)
    for (const store of ['index', 'files', 'serving'] as const) {
      expect(after[store].slice(0, before[store].length)).toEqual(before[store])
    }
    expect(before.index.length).toBeGreaterThan(0)
    for (const [i, table] of tables.entries())
      expect(list(table)).toEqual(expect.arrayContaining(rows[i]!))
  })

  it('deletes who requested a crawl after ninety days, and audit identities after four hundred', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    await createPerson(registry)
    const { index, accounts } = registry
    const count = (table: string) =>
      accounts.db.one<{ n: number }>(`select count(*) as n from ${table}`)!.n
    const asked = async () => [
      count('crawl_requests'),
      (await index.one<{ n: number }>('select count(*) as n from crawl_requests'))!.n,
      registry.serving.count('crawl_request'),
      count(`submissions where operation = 'crawl.request'`),
    ]
    const was = async () => [
      count('storyboard_runs where requested_by is not null'),
      count(`submissions where operation = 'storyboard.record'`),
      count('memberships'),
      count('roles'),
      count('property_contacts'),
    ]
    await registry.retain()
    expect(await asked()).toEqual([1, 1, 1, 1])
    await passDays(registry, clock, 92)
    await registry.retain()
    expect(await asked()).toEqual([0, 0, 0, 0])
    expect(await was()).toEqual([1, 1, 1, 1, 2])
    expect(await verify(registry)).toEqual([])
    await passDays(registry, clock, 310)
    const rowCount = count('submissions')
    await registry.retain()
    expect(await was()).toEqual([0, 0, 0, 0, 1])
    expect(count('submissions')).toBe(rowCount - 3)
    expect(count('storyboard_runs')).toBe(1)
    const [current] = accounts.db.all('select contact from property_contacts')
    expect(current).toEqual({ contact: { email: '2@acme.example' } })
    expect(await verify(registry)).toEqual([])
  })

  it('deletes the stores that an import kept, and is to be repeated while somebody reads deleted rows', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    const { old, record } = registry.paths
    await createPerson(registry)
    mkdirSync(old)
    utimesSync(old, new Date(start), new Date(start))
    await passDays(registry, clock, 80)
    expect(await registry.retain()).toBe(true)
    expect(existsSync(old)).toBe(true)
    await passDays(registry, clock, 12)
    const reader = openAsOfNow(record)
    await registry.commit(buildBaseBatch(clock.now()))
    expect(await registry.retain()).toBe(false)
    expect(existsSync(old)).toBe(false)
    reader.close()
    expect(await registry.retain()).toBe(true)
  })

  it('deletes applications that nobody has signed in with for a month, with their requests', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    const { db } = registry.accounts
    const write = (operations: object[]) => {
      const submissions = operations.map(operation =>
        buildSubmission(JSON.stringify(operation), Operation.parse(operation)),
      )
      return registry.commit({ observations: [], submissions })
    }
    const register = (client_id: string) => ({
      op: 'client.register',
      client_id,
      metadata: {},
      secret_hash: null,
      caller_hash: 'a',
    })
    const clients = () => db.all('select client_id from oauth_clients order by 1')
    await write([register('used'), register('unused')])
    await write([{ op: 'client.use', client_id: 'used' }])
    await passDays(registry, clock, 30)
    await write([register('new')])
    await registry.retain()
    expect(clients()).toEqual([
      { client_id: 'new' },
      { client_id: 'unused' },
      { client_id: 'used' },
    ])
    await passDays(registry, clock, 3)
    await registry.retain()
    expect(clients()).toEqual([{ client_id: 'new' }, { client_id: 'used' }])
    await passDays(registry, clock, 400)
    await registry.retain()
    expect(clients()).toEqual([{ client_id: 'used' }])
    expect(db.all("select * from submissions where operation like 'client.%'")).toEqual([])
    expect(await verify(registry)).toEqual([])
  })

  it('deletes events older than ninety days from every store, a whole day at a time', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    await registry.commit(buildBaseBatch(clock.now()))
    const first = (await readFeeds(registry)).index.length
    await registry.commit(buildNextBatch(clock.tick({ days: 50 })))
    const all = (await readFeeds(registry)).index
    await passDays(registry, clock, 41)
    await registry.retain()
    const { index, files, serving } = await readFeeds(registry)
    expect(first).toBeGreaterThan(0)
    expect(index).toEqual(all.slice(first))
    expect(files).toEqual(index)
    expect(serving).toEqual(index)
    expect(await verify(registry)).toEqual([])
  })

  it('keeps the newest events, however old, so that no cursor on them expires', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    await registry.commit(buildBaseBatch(clock.now()))
    const before = await readFeeds(registry)
    await passDays(registry, clock, 400)
    await registry.retain()
    expect(await readFeeds(registry)).toEqual(before)
  })

  it('deletes the bytes of a replaced document after a day', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    await registry.commit(withBytes(buildBaseBatch(clock.now())))
    await registry.commit(withBytes(buildNextBatch(clock.tick({ days: 1 }))))
    const { bodies } = registry.paths
    const stored = listBodies(bodies)
    await registry.retain()
    expect(listBodies(bodies), 'younger than a day').toEqual(stored)
    const old = new Date(clock.now() - 2 * 86_400_000)
    for (const file of stored) utimesSync(file, old, old)
    await registry.retain()
    const named = await registry.index.all<{ hash: string }>('select hash from documents')
    const left = listBodies(bodies).map(file => file.split('/').at(-1)!.slice(0, -3))
    expect(left.length).toBeLessThan(stored.length)
    expect(left.every(hash => named.some(row => row.hash === hash))).toBe(true)
  })
})
