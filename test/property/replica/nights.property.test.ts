import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  openPublishing,
  openReplica,
  readPublicEntries,
} from '../../support/registry/publishing-registry.ts'
import { nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { type NightIndex, NightRunner } from '../../support/worlds/night-runner.ts'

describe('a replica that follows by commits', () => {
  it('equals its registry and one that begins later, byte for byte by key, after any nights', async () => {
    await fc.assert(
      fc.asyncProperty(nights, async some => {
        const clock = testClock('2026-11-20T03:00Z')
        const { sequencer, publisher, folder } = await openPublishing(clock)
        const early = openReplica(folder, clock)
        const commit: NightIndex['commit'] = batch =>
          sequencer.commit({
            observations: [],
            submissions: [],
            ...('map' in batch ? { observations: batch } : batch),
          })
        const runner = new NightRunner({ db: sequencer.index, commit }, clock)
        for (const night of some) {
          await runner.run(night)
          await publisher.publish()
          await early.follower.follow()
        }
        const late = openReplica(folder, clock)
        await late.follower.follow()
        const expected = await readPublicEntries(sequencer.paths.servingFile)
        expect(await readPublicEntries(early.paths.servingFile)).toEqual(expected)
        expect(await readPublicEntries(late.paths.servingFile)).toEqual(expected)
        await Promise.all([sequencer.close(), early.follower.close(), late.follower.close()])
      }),
      { numRuns: 6 },
    )
  })
})
