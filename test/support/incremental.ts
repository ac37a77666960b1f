import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Anew, compared, differences } from './anew.ts'
import { testClock } from './clock.ts'
import { inTime } from './in-time.ts'
import { openMemoryIndex } from './memory-index.ts'
import { worldStart } from './world-files.ts'
import { Living, type Night, nights } from './worlds.ts'

/**
 * Lives through generated nights; after each, and once more when nothing is left untried, what stands
 * is compared with what would stand anew. Fails with what differs. After so many seconds no further
 * world is begun.
 */
export async function checkIncremental(
  seconds: number,
  options: fc.Parameters<[Night[]]>,
): Promise<fc.RunDetails<[Night[]]>> {
  const clock = testClock(worldStart)
  const index = await openMemoryIndex(clock)
  const anew = await Anew.open(clock)
  const compare = async () => {
    const both = await compared(index.db, await anew.deriveFrom(index), clock.now())
    assert.deepEqual(differences(both), [])
  }
  const liveThrough = inTime(seconds, async (path: Night[]) => {
    await index.clear()
    clock.tick({ ms: worldStart - clock.now() })
    const living = new Living(index, clock)
    for (const night of path) {
      await living.through(night)
      await compare()
    }
    await living.untilNothingIsUntried()
    await compare()
  })
  try {
    return await fc.check(fc.asyncProperty(nights, liveThrough), options)
  } finally {
    index.close()
    anew.close()
  }
}
