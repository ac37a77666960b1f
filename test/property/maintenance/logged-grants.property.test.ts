import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { checkLoggedGrants, publishLogged } from '../../support/checks/logged-grants.ts'
import { openSequencer } from '../../support/registry/registry.ts'
import { makeRegistryKey } from '../../support/servers/webhook-receivers.ts'
import { nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { type NightIndex, NightRunner } from '../../support/worlds/night-runner.ts'

const key = makeRegistryKey()
afterAll(key.remove)

it('after any nights, every authorization of a snapshot is as the log says', async () => {
  await fc.assert(
    fc.asyncProperty(nights, async some => {
      const clock = testClock('2026-11-20T03:00Z')
      const registry = await openSequencer({ clock, settings: { LOG_SIGNING_KEY: key.path } })
      const commit: NightIndex['commit'] = batch =>
        registry.commit({
          observations: [],
          submissions: [],
          ...('map' in batch ? { observations: batch } : batch),
        })
      const runner = new NightRunner({ db: registry.index, commit }, clock)
      for (const night of some) await runner.run(night)
      await publishLogged(registry)
      const { grants, events } = (await registry.index.one<{ grants: number; events: number }>(
        `select (select count(*) from authorizations where in_force) as grants,
           (select count(*) from events) as events`,
      ))!
      // A log without events has no head to verify.
      if (events > 0) {
        const { agreed, ...rest } = await checkLoggedGrants(registry.paths)
        expect(agreed).toBe(grants)
        expect(rest).toEqual({ unknown: 0, faults: [] })
      } else expect(grants).toBe(0)
      await registry.close()
    }),
    { numRuns: 8 },
  )
})
