import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import type { Database } from '../../../pipeline/store/columnar/duckdb.ts'
import { limitTime } from '../../support/checks/time-limit.ts'
import { openMemoryIndex } from '../../support/registry/memory-index.ts'
import { type Night, nights } from '../../support/worlds/arbitrary-nights.ts'
import { testClock } from '../../support/worlds/clock.ts'
import { NightRunner } from '../../support/worlds/night-runner.ts'
import { worldStart } from '../../support/worlds/world-files.ts'

const grant = `id, agent_url, publisher_domain, entry, authorized_for, property_count, publisher_wide,
  coalesce(property_rids, []) as property_rids, countries, effective_from::timestamptz as effective_from,
  effective_until::timestamptz as effective_until, in_force, manager_domain, granted_at`
const property = `property_rid, publisher_domain, property_id, property_type, name, identifiers, tags,
  channels, source, status, stale_reason, created_at`
const publisher = 'domain, valid, discovery_method, manager_domain, agent_count, property_count'
const brand = 'domain, canonical_id, brand_name, source, house_domain, relationship_trust'

/** Queries of the current rows, and of the rows as of a time by the history. */
const tables = [
  [
    `select ${grant} from (select a.*, s.property_rids from authorizations a
       left join property_sets s on s.set_id = a.property_set)`,
    `select ${grant} from authorizations_history`,
  ],
  [`select ${property} from properties`, `select ${property} from properties_history`],
  [`select ${publisher} from publishers`, `select ${publisher} from publishers_history`],
  [`select ${brand} from brands`, `select ${brand} from brands_history`],
] as const
const AT = 'where valid_from <= $at and (valid_to is null or valid_to > $at) order by all'

async function readNow(db: Database): Promise<unknown[]> {
  const all: unknown[] = []
  for (const [now] of tables) all.push(await db.all(`${now} order by all`))
  return all
}

async function readThen(db: Database, at: string): Promise<unknown[]> {
  const all: unknown[] = []
  for (const [, history] of tables) all.push(await db.all(`${history} ${AT}`, { at }))
  return all
}

it.each([
  ['', {}],
  [', also of answers that are taken in portions', { portionRows: 3 }],
])('after any nights the history of each night’s end is what stood then%s', async (_, options) => {
  const clock = testClock(worldStart)
  const index = await openMemoryIndex(clock, options)
  let states = 0
  const liveThrough = limitTime(20, async (path: Night[]) => {
    await index.clear()
    clock.tick({ ms: worldStart - clock.now() })
    const runner = new NightRunner(index, clock)
    const rowsBySeq = new Map<string, unknown>()
    for (const night of path) {
      await runner.run(night)
      const columnar = await index.publish()
      rowsBySeq.set(toIso(clock.now()), await readNow(columnar))
      columnar.close()
      clock.tick({ ms: 1 })
    }
    const columnar = await index.publish()
    for (const [at, stood] of rowsBySeq) assert.deepEqual(await readThen(columnar, at), stood)
    const counted = await columnar.one<{ n: number }>(
      'select count(*) as n from authorizations_history where valid_to is not null',
    )
    columnar.close()
    states += counted!.n
  })
  const run = await fc.check(fc.asyncProperty(nights, liveThrough), { numRuns: 30 })
  index.close()
  expect(run.failed, fc.defaultReportMessage(run)).toBe(false)
  // Else every history would have been of one state.
  expect(states).toBeGreaterThan(0)
})
