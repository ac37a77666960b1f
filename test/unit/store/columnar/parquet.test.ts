import { expect, test } from 'vitest'
import { silentLog } from '../../../../pipeline/core/log.ts'
import { Operation } from '../../../../pipeline/model/submission.ts'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { exportParquet, isTooSoonToExport } from '../../../../pipeline/store/columnar/parquet.ts'
import { observeOutcome } from '../../../support/fixtures/observations.ts'
import { buildSubmission } from '../../../support/fixtures/submissions.ts'
import { openTestSequencer } from '../../../support/registry/registry.ts'
import { testClock } from '../../../support/worlds/clock.ts'

test('the first Parquet files are written once most known files were crawled', async () => {
  const clock = testClock('2026-11-20T03:00Z')
  const registry = await openTestSequencer(clock)
  const { index, paths } = registry
  expect(await isTooSoonToExport(index, paths)).toBe(true)
  const add = (id: string, domains: string[]) => {
    const operation = { op: 'domains.add', domains, again: false, why: 'demanded' }
    const submissions = [buildSubmission(id, Operation.parse(operation))]
    return registry.commit({ observations: [], submissions })
  }
  await add('some', ['a.example', 'b.example'])
  const crawl = (domain: string) => {
    const observations = (['brand.json', 'adagents.json'] as const).map(kind =>
      observeOutcome('absent', kind, domain, clock.now()),
    )
    return registry.commit({ observations, submissions: [] })
  }
  await crawl('a.example')
  expect(await isTooSoonToExport(index, paths)).toBe(true)
  await crawl('b.example')
  expect(await isTooSoonToExport(index, paths)).toBe(false)

  await registry.publish()
  await exportParquet(paths, clock.now(), silentLog)
  const db = await Database.open(':memory:')
  const files = `${paths.parquet}/crawl_state/day=2026-11-20/*.parquet`
  expect(await db.one(`select count(*)::integer as n from '${files}'`)).toEqual({ n: 4 })
  db.close()
  await add('more', ['c.example'])
  expect(await isTooSoonToExport(index, paths)).toBe(false)
})
