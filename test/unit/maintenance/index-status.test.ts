import { expect, test } from 'vitest'
import { reportIndex } from '../../../pipeline/maintenance/inspect/index-status.ts'
import { readIndexStatusBeside } from '../../../pipeline/maintenance/inspect/index-status-beside.ts'
import { openTestSequencer } from '../../support/registry/registry.ts'
import { testClock } from '../../support/worlds/clock.ts'

test('the state of the index is that of its last commit, from a thread too, while the next one is written', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const { index } = await openTestSequencer(clock)
  const committed = await reportIndex(index, clock.now())
  await index.transaction(async () => {
    await index.write('update', 'meta', 'set seq = seq + 1')
    for (const inProcessMax of [Number.POSITIVE_INFINITY, 0]) {
      const status = await readIndexStatusBeside(index.file, clock.now(), inProcessMax)
      expect(status).toEqual(committed)
    }
  })
  expect(await readIndexStatusBeside(index.file, clock.now(), 0)).toEqual({
    ...committed,
    seq: committed.seq + 1,
  })
})

test('a record that cannot be read rejects instead of leaving the caller waiting', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const { paths } = await openTestSequencer(clock)
  await expect(readIndexStatusBeside(paths.seals, clock.now(), 0)).rejects.toThrow('not a database')
})
