import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { BrakeLimits } from '../../../pipeline/resolve/brake.ts'
import { loadHeldRows } from '../../../pipeline/writer/crawl/held-publishers.ts'
import { buildSubmission } from '../fixtures/submissions.ts'
import { type MemoryIndex, openMemoryIndex } from '../registry/memory-index.ts'
import { type Night, nights } from '../worlds/arbitrary-nights.ts'
import { testClock } from '../worlds/clock.ts'
import { NightRunner } from '../worlds/night-runner.ts'
import { worldStart } from '../worlds/world-files.ts'
import { compareIndexes, FreshIndex, listDifferences } from './fresh-index.ts'
import { limitTime } from './time-limit.ts'

/**
 * Runs generated nights. After each, and again once nothing is left untried, compares the index with one
 * that is derived from scratch, and fails with the differences. After `seconds` no further world begins.
 * At the end, everything that the brake holds is released.
 */
export async function checkIncremental(
  seconds: number,
  options: fc.Parameters<[Night[]]>,
  brake?: BrakeLimits,
): Promise<fc.RunDetails<[Night[]]>> {
  const clock = testClock(worldStart)
  const index = await openMemoryIndex(clock, brake && { brake })
  const freshIndex = await FreshIndex.open(clock)
  const compare = async () => {
    const both = await compareIndexes(index.db, await freshIndex.deriveFrom(index), clock.now())
    assert.deepEqual(listDifferences(both), [])
  }
  const liveThrough = limitTime(seconds, async (path: Night[]) => {
    await index.clear()
    clock.tick({ ms: worldStart - clock.now() })
    const runner = new NightRunner(index, clock)
    for (const night of path) {
      await runner.run(night)
      await compare()
    }
    await runner.answerUntried()
    await compare()
    await releaseAll(index)
    await compare()
  })
  try {
    return await fc.check(fc.asyncProperty(nights, liveThrough), options)
  } finally {
    index.close()
    freshIndex.close()
  }
}

async function releaseAll(index: MemoryIndex): Promise<void> {
  const domains = (await loadHeldRows(index.db)).map(({ subject }) => subject)
  if (domains.length === 0) return
  await index.commit({ submissions: [buildSubmission('all', { op: 'held.release', domains })] })
  assert.deepEqual(await loadHeldRows(index.db), [])
}
