import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { restore } from '../../../pipeline/maintenance/restore.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { checkLoggedGrants, publishLogged } from '../../support/checks/logged-grants.ts'
import { makeDataDir, openSequencer } from '../../support/registry/registry.ts'
import { makeRegistryKey } from '../../support/servers/webhook-receivers.ts'
import { nights } from '../../support/worlds/arbitrary-nights.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'
import { type NightIndex, NightRunner } from '../../support/worlds/night-runner.ts'

const key = makeRegistryKey()
afterAll(key.remove)
const settings = { LOG_SIGNING_KEY: key.path }

function runNights(registry: Sequencer, clock: TestClock): NightRunner {
  const commit: NightIndex['commit'] = batch =>
    registry.commit({
      observations: [],
      submissions: [],
      ...('map' in batch ? { observations: batch } : batch),
    })
  return new NightRunner({ db: registry.index, commit }, clock)
}

/** Checks that all authorizations match the log; returns how many events a restore lost. */
async function checkAll(registry: Sequencer): Promise<number> {
  await publishLogged(registry)
  const { grants, events } = (await registry.index.one<{ grants: number; events: number }>(
    `select (select count(*) from authorizations where in_force) as grants,
       (select count(*) from events) as events`,
  ))!
  if (events === 0) expect(grants).toBe(0)
  // A log without events has no head to verify.
  if (registry.lastEventId === undefined) return 0
  const { agreed, lost, ...rest } = await checkLoggedGrants(registry.paths)
  expect(agreed).toBe(grants)
  expect(rest).toEqual({ unknown: 0, faults: [] })
  return lost
}

it('after any nights, every authorization of a snapshot matches the log', async () => {
  await fc.assert(
    fc.asyncProperty(nights, async some => {
      const clock = testClock('2026-11-20T03:00Z')
      const registry = await openSequencer({ clock, settings })
      const runner = runNights(registry, clock)
      for (const night of some) await runner.run(night)
      expect(await checkAll(registry)).toBe(0)
      await registry.close()
    }),
    { numRuns: 8 },
  )
})

it('after any nights and restores, only events that a restore lost are left out', async () => {
  const isRestored = fc.array(fc.option(fc.nat()), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(nights, isRestored, async (some, restores) => {
      const clock = testClock('2026-11-20T03:00Z')
      const { dir, remove } = makeDataDir()
      const dataDir = join(dir, 'registry')
      const open = () => openSequencer({ clock, dataDir, settings })
      let registry = await open()
      const backups: string[] = []
      for (const [at, night] of some.entries()) {
        await runNights(registry, clock).run(night)
        await publishLogged(registry)
        backups.push(join(dir, `backup-${at}`))
        await registry.backUp(backups[at]!)
        const restored = restores[at % restores.length] ?? null
        if (restored === null) continue
        await registry.close()
        await restore(dataDir, backups[restored % backups.length]!, { force: true })
        registry = await open()
        await checkAll(registry)
      }
      await checkAll(registry)
      await registry.close()
      remove()
    }),
    { numRuns: 5 },
  )
})
