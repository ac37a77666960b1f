import { expect, test } from 'vitest'
import { DAY } from '../../../pipeline/core/clock.ts'
import { dropOldCrawlDays } from '../../../pipeline/writer/crawl/crawl-days.ts'
import { observeFile, observeOutcome } from '../../support/fixtures/observations.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { openForEach } from '../../support/runner/open-for-all.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { buildShop } from '../../support/worlds/nights.ts'

const clock = testClock('2026-11-20T23:59:00Z')
const index = openForEach(() => openMemoryIndex(clock))

const readDays = () =>
  index.db.all('select day as day, kind, outcome, attempts from crawl_days order by 1, 2, 3, 4')

test('attempts count on the UTC day they were made, whatever day they are committed', async () => {
  const now = clock.now()
  await index.commit([
    observeFile('adagents.json', 'a.example', buildShop('a.example'), now),
    observeOutcome('timeout', 'adagents.json', 'b.example', now),
    observeOutcome('timeout', 'adagents.json', 'c.example', now + 120_000),
  ])
  await index.commit([observeOutcome('timeout', 'adagents.json', 'd.example', now)])
  expect(await readDays()).toEqual([
    { day: '2026-11-20', kind: 'adagents.json', outcome: 'ok', attempts: 1 },
    { day: '2026-11-20', kind: 'adagents.json', outcome: 'timeout', attempts: 2 },
    { day: '2026-11-21', kind: 'adagents.json', outcome: 'timeout', attempts: 1 },
  ])
})

test('an attempt that is reported a second time counts once', async () => {
  const observation = observeOutcome('absent', 'brand.json', 'a.example', clock.now())
  await index.commit([observation])
  await index.commit([observation])
  expect(await readDays()).toMatchObject([{ outcome: 'absent', attempts: 1 }])
})

test('days are kept for two years', async () => {
  const now = clock.now()
  await index.commit([observeOutcome('absent', 'brand.json', 'a.example', now)])
  await dropOldCrawlDays(index.db, now + 731 * DAY)
  expect(await readDays()).toHaveLength(1)
  await dropOldCrawlDays(index.db, now + 732 * DAY)
  expect(await readDays()).toEqual([])
})
