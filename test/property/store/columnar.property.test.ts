import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { updateRows } from '../../../pipeline/store/columnar/columnar.ts'
import type { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { USE_PUBLISHED, USE_STORED } from '../../../pipeline/store/columnar/stored-schema.ts'
import { LOG, listColumnarTables } from '../../../pipeline/store/columnar-log.ts'
import { listBrokenKeys } from '../../support/checks/declared-keys.ts'
import { limitTime } from '../../support/checks/time-limit.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { type Night, nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'
import { worldStart } from '../../support/worlds/world-files.ts'

async function readAll(db: Database): Promise<Record<string, object[]>> {
  await db.run(USE_STORED)
  const contents: Record<string, object[]> = {}
  for (const { name } of listColumnarTables()) {
    contents[name] = await db.all(`select * from ${name} order by all`)
  }
  return contents
}

test('after any nights a columnar index that was kept up equals one that is made from nothing', async () => {
  const clock = testClock(worldStart)
  const index = await openMemoryIndex(clock)
  const continued = await index.publish()
  await continued.run(USE_STORED)
  let since = 0
  index.accounts.run(`delete from ${LOG}`)
  const check = async () => {
    await updateRows(continued, index.accounts, since)
    since = index.seq
    index.accounts.run(`delete from ${LOG}`)
    const anew = await index.publish()
    const [was, is] = [await readAll(continued), await readAll(anew)]
    for (const name in is) assert.deepEqual(was[name], is[name], name)
    await anew.run(USE_PUBLISHED)
    assert.deepEqual(await listBrokenKeys(anew), [])
    anew.close()
  }
  const liveThrough = limitTime(25, async (path: Night[]) => {
    await index.clear()
    clock.tick({ ms: worldStart - clock.now() })
    const runner = new NightRunner(index, clock)
    for (const night of path) {
      await runner.run(night)
      await check()
    }
  })
  try {
    const run = await fc.check(fc.asyncProperty(nights, liveThrough), { numRuns: 10 })
    if (run.errorInstance) throw run.errorInstance
    expect(run.failed).toBe(false)
  } finally {
    continued.close()
    index.close()
  }
})
