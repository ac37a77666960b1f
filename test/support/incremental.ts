import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { BrakeLimits } from '../../pipeline/resolve/brake.ts'
import { loadHeldRows } from '../../pipeline/writer/crawl/held-publishers.ts'
import { Anew, compared, differences } from './anew.ts'
import { testClock } from './clock.ts'
import { inTime } from './in-time.ts'
import { type MemoryIndex, openMemoryIndex } from './memory-index.ts'
import { worldStart } from './world-files.ts'
import { Living, type Night, nights } from './worlds.ts'
import { submission } from './writes.ts'

/**
 * Lives through generated nights; after each, and once more when nothing is left untried, what stands
 * is compared with what would stand anew. Fails with what differs. After so many seconds no further
 * world is begun. In the end everything that the brake held is released.
 */
export async function checkIncremental(
  seconds: number,
  options: fc.Parameters<[Night[]]>,
  brake?: BrakeLimits,
): Promise<fc.RunDetails<[Night[]]>> {
  const clock = testClock(worldStart)
  const index = await openMemoryIndex(clock, brake && { brake })
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
    await releaseAll(index)
    await compare()
  })
  try {
    return await fc.check(fc.asyncProperty(nights, liveThrough), options)
  } finally {
    index.close()
    anew.close()
  }
}

async function releaseAll(index: MemoryIndex): Promise<void> {
  const domains = (await loadHeldRows(index.db)).map(({ subject }) => subject)
  if (domains.length === 0) return
  await index.commit({ submissions: [submission('all', { op: 'held.release', domains })] })
  assert.deepEqual(await loadHeldRows(index.db), [])
}
