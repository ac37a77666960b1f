import { describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../../pipeline/core/log.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { loadHeldRows } from '../../../pipeline/writer/crawl/held-publishers.ts'
import { type Sequencer, type Step, steps } from '../../../pipeline/writer/sequencer.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { cleanUp, createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'
import { listDomains, observeAll, toDomains } from '../../support/worlds/many-publishers.ts'
import { buildShop } from '../../support/worlds/nights.ts'

const start = '2026-11-20T04:00Z'
const web = listDomains(24)
/** A tenth of the default floors, so that a tenth of the publishers will do. */
const settings = { BRAKE_ROWS: '20', BRAKE_PUBLISHERS: '2' }

function buildMissingBatch(clock: TestClock, domains = web) {
  return { observations: observeAll(domains, 'absent', clock), submissions: [] }
}

async function openWeb(clock: TestClock, options: object = {}): Promise<Sequencer> {
  const registry = await openSequencer({ clock, settings, dataDir: createDataDir(), ...options })
  await registry.commit({ observations: observeAll(web, buildShop, clock), submissions: [] })
  clock.tick({ days: 1 })
  return registry
}

async function reopen(registry: Sequencer, clock: TestClock): Promise<Sequencer> {
  await registry.close()
  const again = await openSequencer({ dataDir: registry.paths.dir, settings, clock })
  cleanUp(() => again.close())
  return again
}

async function countRows({ index }: Sequencer) {
  return index.one<{ held: number; active: number }>(
    `select (select count(*) from held) as held,
       (select count(*) from properties where status = 'active') as active`,
  )
}

/** Records the lines of level error. */
function recordErrors(): { log: Log; said: Record<string, unknown>[] } {
  const said: Record<string, unknown>[] = []
  const error = (facts: Record<string, unknown>) => said.push(facts)
  return { log: Object.assign(Object.create(silentLog), { error }), said }
}

describe('a registry that restarts in the middle of a night', () => {
  it('still counts the losses of that night', async () => {
    const clock = testClock(start)
    const registry = await openWeb(clock)
    await registry.commit(buildMissingBatch(clock, web.slice(0, 15)))
    expect(await countRows(registry)).toEqual({ held: 0, active: 9 })
    const again = await reopen(registry, clock)
    clock.tick({ hours: 1 })
    await again.commit(buildMissingBatch(clock, web.slice(15)))
    expect(await countRows(again)).toEqual({ held: 9, active: 9 })
    expect(await verify(again)).toEqual([])
  })

  it('still holds its publishers, and releases them on request', async () => {
    const clock = testClock(start)
    const registry = await openWeb(clock)
    await registry.commit(buildMissingBatch(clock))
    const again = await reopen(registry, clock)
    expect(await countRows(again)).toEqual({ held: 24, active: 24 })
    const operation = { op: 'held.release', domains: toDomains(web.slice(0, 4)) } as const
    const release = { observations: [], submissions: [buildSubmission('release', operation)] }
    await again.commit(release)
    await again.commit(release)
    expect(await countRows(again)).toEqual({ held: 20, active: 20 })
    expect(await verify(again)).toEqual([])
  })
})

describe('a writer that fails at a step of a commit with held publishers', () => {
  it.each(steps.slice(0, 4).map(step => [step]))(
    'leaves stores that agree, and holds the same on redelivery (%s)',
    async step => {
      const clock = testClock(start)
      let armed = false
      const onStep = (reached: Step) => {
        if (armed && reached === step) throw new Error('the disk failed')
      }
      const registry = await openWeb(clock, { onStep })
      armed = true
      const operation = { op: 'held.drop', domains: toDomains(['nobody.example']) } as const
      const night = {
        ...buildMissingBatch(clock),
        submissions: [buildSubmission('drop', operation)],
      }
      await expect(registry.commit(night)).rejects.toThrow()
      const again = await reopen(registry, clock)
      expect(await verify(again)).toEqual([])
      await again.commit(night)
      expect(await countRows(again)).toEqual({ held: 24, active: 24 })
      expect(await loadHeldRows(again.index)).toHaveLength(24)
      expect(await verify(again)).toEqual([])
    },
  )
})

describe('held losses', () => {
  it('are logged once per commit, as an error', async () => {
    const clock = testClock(start)
    const { log, said } = recordErrors()
    const registry = await openWeb(clock, { log })
    cleanUp(() => registry.close())
    await registry.commit(buildMissingBatch(clock))
    clock.tick({ hours: 2 })
    await registry.commit(buildMissingBatch(clock))
    expect(said).toMatchObject([{ seq: 2, publishers: 24, grants: 0, properties: 24 }])
  })
})
