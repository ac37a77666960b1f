import { expect, test } from 'vitest'
import { silentLog } from '../../../../pipeline/core/log.ts'
import { Operation } from '../../../../pipeline/model/submission.ts'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { exportParquet, isTooSoonToExport } from '../../../../pipeline/store/columnar/parquet.ts'
import { observeOutcome } from '../../../support/fixtures/observations.ts'
import { buildSubmission } from '../../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../../support/registry/registry.ts'
import { testClock } from '../../../support/worlds/clock.ts'

test('the first Parquet files wait until the snapshot shows every wanted file as crawled, or a day and most', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openTestSequencer(clock)
  const { paths } = registry
  const isTooSoon = async () => {
    await registry.publish()
    return isTooSoonToExport(paths)
  }
  expect(await isTooSoonToExport(paths)).toBe(true)
  const add = (id: string, domains: string[]) => {
    const operation = { op: 'domains.add', domains, again: false, why: 'demanded' }
    const submissions = [buildSubmission(id, Operation.parse(operation))]
    return registry.commit({ observations: [], submissions })
  }
  const many = Array.from({ length: 20 }, (_, number) => `site${number}.example`)
  await add('some', ['a.example', ...many])
  const crawl = (...domains: string[]) => {
    const observations = domains.flatMap(domain =>
      (['brand.json', 'adagents.json'] as const).map(kind =>
        observeOutcome('absent', kind, domain, clock.now()),
      ),
    )
    return registry.commit({ observations, submissions: [] })
  }
  await crawl(...many)
  expect(await isTooSoon()).toBe(true)
  clock.tick({ hours: 25 })
  await crawl(...many)
  expect(await isTooSoon()).toBe(false)
  await add(
    'many',
    many.map(domain => `www.${domain}`),
  )
  expect(await isTooSoon()).toBe(true)
  await crawl('a.example', ...many.map(domain => `www.${domain}`))
  expect(await isTooSoonToExport(paths)).toBe(true)
  expect(await isTooSoon()).toBe(false)

  await exportParquet(paths, clock.now(), silentLog)
  const db = await Database.open(':memory:')
  const files = `${paths.parquet}/crawl_state/day=2026-11-21/*.parquet`
  expect(await db.one(`select count(*)::integer as n from '${files}'`)).toEqual({ n: 82 })
  db.close()
  await add('more', ['c.example'])
  expect(await isTooSoon()).toBe(false)
})
