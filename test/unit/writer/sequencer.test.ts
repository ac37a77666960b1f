import { cpSync, linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { Fatal } from '../../../pipeline/core/errors.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { LOG } from '../../../pipeline/store/columnar-log.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'
import type { Sequencer, Step } from '../../../pipeline/writer/sequencer.ts'
import { readFeeds } from '../../support/checks/feed.ts'
import { buildBaseBatch, buildNextBatch } from '../../support/fixtures/batches.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { buildOrganizationWrite, buildSubmission } from '../../support/fixtures/submissions.ts'
import {
  cleanUp,
  createDataDir,
  openSequencer,
  openTestSequencer,
} from '../../support/registry/registry.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const start = '2026-11-20T03:00Z'

/** Closes the registry and opens what it left. */
async function reopen(registry: Sequencer, clock: TestClock): Promise<Sequencer> {
  await registry.close()
  const again = await openSequencer({ dataDir: registry.paths.dir, clock })
  cleanUp(() => again.close())
  return again
}

/** Opens a registry whose disk fails at a step after some commits. */
async function openFailing(failing: Step, commits: number, clock: TestClock): Promise<Sequencer> {
  let armed = false
  const onStep = (step: Step) => {
    if (armed && step === failing) throw new Error('the disk failed')
  }
  const registry = await openSequencer({ clock, dataDir: createDataDir(), onStep })
  for (let n = 0; n < commits; n++) await registry.commit(buildBaseBatch(clock.now()))
  armed = true
  return registry
}

function listQuarantined({ index }: Sequencer): Promise<object[]> {
  return index.all('select kind, location, reason from quarantine')
}

describe('a commit that fails after its transaction', () => {
  it.each<[Step]>([['serving'], ['events']])(
    'stops the writer, so that no later one leaves a gap in the feed (%s)',
    async step => {
      const clock = testClock(start)
      const registry = await openFailing(step, 1, clock)
      clock.tick({ days: 1 })
      const [failed, later] = [buildNextBatch(clock.now()), buildBaseBatch(clock.tick({ days: 1 }))]
      const outcomes = await Promise.allSettled([registry.commit(failed), registry.commit(later)])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(await listQuarantined(registry)).toEqual([])
      const again = await reopen(registry, clock)
      expect(again.seq).toBe(2)
      expect(await verify(again)).toEqual([])
    },
  )

  it('is completed by the next start, even if it was the very first', async () => {
    const clock = testClock(start)
    const registry = await openFailing('serving', 0, clock)
    await expect(registry.commit(buildBaseBatch(clock.now()))).rejects.toThrow(Fatal)
    const again = await reopen(registry, clock)
    expect(again.seq).toBe(1)
    expect(await verify(again)).toEqual([])
  })
})

describe('a registry that restarts', () => {
  it('continues after a crash between registry.duckdb and the checkpoint', async () => {
    const clock = testClock(start)
    const registry = await openSequencer({ clock, dataDir: createDataDir() })
    await registry.commit(buildBaseBatch(clock.now()))
    await registry.publish()
    const { paths } = registry
    rmSync(paths.registry)
    linkSync(paths.snapshotFile(1), paths.snapshotFile(2))
    writeFileSync(paths.registry, 'the next snapshot')
    expect(await verify(await reopen(registry, clock))).toEqual([])
  })

  it('rebuilds a serving store that is older than the changes it still knows', async () => {
    const clock = testClock(start)
    const registry = await openSequencer({ clock, dataDir: createDataDir() })
    const { serving } = registry.paths
    const org = (n: number) => ({
      observations: [],
      submissions: [buildOrganizationWrite(`Org ${n}`)],
    })
    for (let n = 0; n < 2; n++) await registry.commit(org(n))
    cpSync(serving, `${serving}.backup`, { recursive: true })
    for (let n = 2; n < 105; n++) await registry.commit(org(n))
    await registry.close()
    rmSync(serving, { recursive: true })
    renameSync(`${serving}.backup`, serving)
    const dataDir = registry.paths.dir
    const again = await openSequencer({ dataDir, clock })
    cleanUp(() => again.close())
    expect(await verify(again)).toEqual([])
  })

  it('repeats no event after the clock stepped back over midnight', async () => {
    const clock = testClock('2026-11-20T00:10Z')
    const registry = await openSequencer({ clock, dataDir: createDataDir() })
    await registry.commit(buildBaseBatch(clock.now()))
    clock.tick({ minutes: -20 })
    await registry.commit({ observations: [observeSale('acme.example', clock)], submissions: [] })
    const before = await readFeeds(registry)
    const again = await reopen(registry, clock)
    expect(await readFeeds(again)).toEqual(before)
    expect(await verify(again)).toEqual([])
    expect(readdirSync(again.paths.events)).toEqual(['2026-11-20.ndjson'])
  })
})

function observeSale(domain: string, clock: TestClock, name = 'Sales'): Observation {
  const content = { properties: [], authorized_agents: [], superseded_by: name }
  return observeFile('adagents.json', domain, content, clock.now())
}

describe('an observation that cannot be committed', () => {
  const poison = (clock: TestClock): Observation => ({
    ...observeOutcome('ok', 'adagents.json', 'poison.example', clock.now()),
    hash: 'f'.repeat(64),
    document: { variant: 'inline' },
  })

  it('is quarantined, and all others of its batch are committed', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    const { observations, submissions } = buildNextBatch(clock.now())
    const among = [...observations.slice(0, 50), poison(clock), ...observations.slice(50)]
    const { answers } = await registry.commit({ observations: among, submissions })
    expect(answers.size).toBe(submissions.length)
    const row = await registry.index.one(
      'select count(*) as n from crawl_state where attempted_at is not null',
    )
    expect(row).toEqual({ n: observations.length })
    expect(await listQuarantined(registry)).toMatchObject([{ location: 'poison.example' }])
    expect(await verify(registry)).toEqual([])
  })

  it('is not quarantined where the disk failed', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    rmSync(registry.paths.bodies, { recursive: true })
    writeFileSync(registry.paths.bodies, 'where a folder should be')
    const observation = { ...observeSale('acme.example', clock), body: Buffer.from('{}') }
    await expect(
      registry.commit({ observations: [observation], submissions: [] }),
    ).rejects.toThrow()
    expect(await listQuarantined(registry)).toEqual([])
  })
})

describe('a repeated delivery', () => {
  it('counts once for a file that was read twice, in any order', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    const early = observeSale('acme.example', clock, 'early.example')
    clock.tick({ minutes: 1 })
    const late = observeSale('acme.example', clock, 'late.example')
    await registry.commit({ observations: [late, early], submissions: [] })
    expect(await verify(registry)).toEqual([])
    const stored = await registry.index.one('select hash from documents')
    expect(stored).toEqual({ hash: late.hash })
  })

  it('counts once for a write, also when the first answer was lost', async () => {
    const clock = testClock(start)
    const registry = await openTestSequencer(clock)
    const operation = { op: 'domains.add', domains: ['acme.example'], again: true } as never
    const [org, add] = [buildOrganizationWrite('Acme'), buildSubmission('add', operation)]
    await registry.commit({ observations: [], submissions: [org, add, org] })
    await registry.commit({ observations: [observeSale('acme.example', clock)], submissions: [] })
    await registry.commit({ observations: [], submissions: [add, org] })
    const [done, due] = await Promise.all([
      registry.index.one('select count(*) as n from submissions'),
      registry.index.all(`select kind from crawl_state where due_at <= ${clock.now()}`),
    ])
    expect(done).toEqual({ n: 2 })
    expect(due).toEqual([{ kind: 'brand.json' }])
  })
})

it('what a commit lists while a publication empties the log is published next', async () => {
  const clock = testClock(start)
  const registry = await openTestSequencer(clock)
  const add = (domain: string) =>
    registry.commit({
      observations: [],
      submissions: [
        buildSubmission(domain, { op: 'domains.add', domains: [domain] as never, again: false }),
      ],
    })
  await add('a.example')
  let later: Promise<unknown> | undefined
  const { run } = Sqlite.prototype
  const spy = vi.spyOn(Sqlite.prototype, 'run').mockImplementation(function (this: Sqlite, ...of) {
    if (of[0].startsWith(`delete from ${LOG}`)) later ??= add('b.example')
    return run.apply(this, of)
  })
  await registry.publish()
  await later
  spy.mockRestore()
  await registry.publish()
  expect(later).toBeDefined()
  expect(await verify(registry)).toEqual([])
})
