import { describe, expect, it } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import { buildSubmission } from '../../support/fixtures/submissions.ts'
import { createDataDir, openSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { listDomains, observeAll, toDomains } from '../../support/worlds/many-publishers.ts'
import { buildShop } from '../../support/worlds/nights.ts'

/** Publishers whose files turn at once, in more than two commits. */
const web = listDomains(4_500)
/** The first of these commits loses less than this share of all rows. */
const settings = { BRAKE_SHARE: '0.6' }
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
    expect(done?.seq).toBe(before + 4)
    expect(saved.seq).toBeLessThan(before + 4)
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
