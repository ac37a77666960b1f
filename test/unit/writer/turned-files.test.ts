import { describe, expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { listDomains, observeAll, toDomains } from '../../support/worlds/many-publishers.ts'
import { buildShop } from '../../support/worlds/nights.ts'

/** Publishers whose files turn at once, in two commits. */
const web = listDomains(2_300)
/** The first of these commits loses less than this share of all rows. */
const settings = { BRAKE_SHARE: '0.9' }
const clock = testClock('2026-11-20T04:00Z')

describe('a registry that stood still for a week', () => {
  it('turns its files in several commits, lets saves in between, and holds all losses back', async () => {
    const registry = await openSequencer({ clock, dataDir: createDataDir(), settings })
    await registry.commit({ observations: observeAll(web, buildShop, clock), submissions: [] })
    clock.tick({ days: 8 })
    const before = registry.seq
    const ticked = registry.tick()
    const operation = { op: 'held.drop', domains: toDomains(['nobody.example']) } as const
    const save = { observations: [], submissions: [buildSubmission('drop', operation)] }
    const saved = await registry.commit(save)
    const done = await ticked
    expect(done?.seq).toBe(before + 3)
    expect(saved.seq).toBeLessThan(before + 3)
    expect(await registry.tick()).toBeUndefined()
    expect(
      await registry.index.one(
        `select (select count(*) from held) as held,
           (select count(*) from properties where status = 'active') as active`,
      ),
    ).toEqual({ held: web.length, active: web.length })
    expect(await verify(registry)).toEqual([])
  })
})

const observeMissing = (count: number) => {
  const missing = Array.from({ length: count }, (_, i) => `n${i}.example`)
  return { observations: observeAll(missing, 'timeout', clock), submissions: [] }
}

const countHeld = ({ index }: Sequencer) =>
  index.one(
    `select (select count(*) from held) as held,
       (select count(*) from properties where status = 'active') as active`,
  )

describe('the brake on files that turn', () => {
  it('expects no losses of files that never had a document', async () => {
    const settings = { BRAKE_ROWS: '15', BRAKE_PUBLISHERS: '15' }
    const shops = web.slice(0, 100)
    const registry = await openSequencer({ clock, dataDir: createDataDir(), settings })
    await registry.commit(observeMissing(4_000))
    clock.tick({ days: 6 })
    await registry.commit({ observations: observeAll(shops, buildShop, clock), submissions: [] })
    clock.tick({ days: 2 })
    const gone = observeAll(shops.slice(0, 10), 'absent', clock)
    await registry.commit({ observations: gone, submissions: [] })
    expect(await countHeld(registry)).toEqual({ held: 0, active: 90 })
  })

  it('expects losses of all that had one, though most of the first files had none', async () => {
    const shops = web.slice(0, 500)
    const registry = await openSequencer({ clock, dataDir: createDataDir() })
    await registry.commit(observeMissing(1_990))
    clock.tick({ minutes: 1 })
    await registry.commit({ observations: observeAll(shops, buildShop, clock), submissions: [] })
    clock.tick({ days: 8 })
    await registry.tick()
    expect(await countHeld(registry)).toEqual({ held: 500, active: 500 })
  })

  it('holds what turns in the commit of a take-down', async () => {
    const shops = web.slice(0, 200)
    const registry = await openSequencer({ clock, dataDir: createDataDir() })
    await registry.commit({ observations: observeAll(shops, buildShop, clock), submissions: [] })
    clock.tick({ days: 8 })
    const takedown = { op: 'domain.takedown', domain: 'p0.example' } as never
    const submissions = [buildSubmission('takedown', takedown)]
    await registry.commit({ observations: [], submissions })
    expect(await countHeld(registry)).toEqual({ held: 199, active: 199 })
    expect(await verify(registry)).toEqual([])
  })
})
