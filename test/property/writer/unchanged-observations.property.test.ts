import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../../pipeline/core/clock.ts'
import { type Outcome, outcomeNames } from '../../../pipeline/core/outcomes.ts'
import { type Observation, sourceKinds, toSourceKey } from '../../../pipeline/model/observation.ts'
import { Database } from '../../../pipeline/store/database.ts'
import { declareIndex } from '../../../pipeline/store/index-tables.ts'
import { type CrawlRow, loadCrawlRows } from '../../../pipeline/writer/crawl/crawl-rows.ts'
import { applyObservations, applyTransitions } from '../../../pipeline/writer/crawl/crawl-state.ts'
import type { RecrawlContext } from '../../../pipeline/writer/crawl/recrawl-schedule.ts'
import { computeTransition } from '../../../pipeline/writer/crawl/transitions.ts'

const start = Date.parse('2026-11-20T03:00Z')
const files = sourceKinds.map(kind => ({ kind, location: `${kind[0]}.example` }))

/** One attempt: how long after the last round it was made, what it found, and how late it is handed in. */
interface Attempt {
  file: number
  outcome: Outcome
  version: number
  etag: 'none' | 'same' | 'other'
  status: number
  retryAfterS: number | undefined
  late: number
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  file: fc.nat(files.length - 1),
  outcome: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<Outcome>('ok', 'unchanged', 'absent', 'timeout') },
    { weight: 1, arbitrary: fc.constantFrom(...outcomeNames) },
  ),
  version: fc.nat(1),
  etag: fc.constantFrom('none', 'none', 'same', 'other'),
  status: fc.constantFrom(200, 404, 404, 404),
  retryAfterS: fc.constantFrom(undefined, undefined, 3_600),
  late: fc.constantFrom(0, 0, 0, 2 * HOUR, -MINUTE),
})

/** A round is some attempts, seen again so often after so long. */
const round = fc.record({
  attempts: fc.array(attempt, { minLength: 1, maxLength: 6 }),
  again: fc.integer({ min: 1, max: 4 }),
  pause: fc.constantFrom(5 * MINUTE, 2 * HOUR, DAY, 3 * DAY, 8 * DAY),
  requested: fc.constantFrom(undefined, undefined, undefined, ...files.keys()),
})

function buildObservation({ file, ...seen }: Attempt, now: number): Observation {
  const { outcome, version, etag, status, retryAfterS, late } = seen
  return {
    ...files[file]!,
    observed_at: now - late,
    outcome,
    status,
    ...(etag !== 'none' && { etag: `"${etag}"` }),
    ...(outcome === 'ok' && { hash: `2-${version}` }),
    ...(retryAfterS !== undefined && { retry_after_s: retryAfterS }),
    ...(file === files.length - 1 && { took_ms: 40 + version }),
  }
}

let db: Database
beforeAll(async () => {
  db = await Database.open(':memory:')
  declareIndex(db.sqlite)
  await db.run(`insert into depends_on
    values ('publisher', 'x.example', 'brand.json', 'b.example'),
      ('publisher', 'y.example', 'ads.txt', 'a.example')`)
})
afterAll(() => db.close())

const toKeyed = (rows: readonly (CrawlRow | undefined)[]) =>
  Object.fromEntries(rows.flatMap(row => (row ? [[toSourceKey(row), row]] : [])))

/** Applies a batch and returns the number of attempts that were written by the short statement. */
async function apply(observations: readonly Observation[], recrawling: RecrawlContext) {
  const before = toKeyed(await loadCrawlRows(db, files))
  const { attempts } = await db.transaction(() => applyObservations(db, observations, recrawling))
  const stored = toKeyed(await loadCrawlRows(db, files))
  for (const { observation, before: row, after } of attempts) {
    const key = toSourceKey(observation)
    if (before[key]) expect(row).toEqual(before[key])
    expect(computeTransition(row, observation, recrawling).after).toEqual(after)
    expect(stored[key]).toEqual(after)
  }
  return attempts.filter(({ hasChanged }) => !hasChanged).length
}

it('each attempt is stored as it was computed, by the short statement too, and once', async () => {
  let quickly = 0
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async rounds => {
      await db.run('delete from crawl_state')
      await db.run(`insert into crawl_state (kind, location, priority, streak, due_at, requested, seq)
        select 'agent', 'a.example', 2, 0, 0, false, 0
        union all select 'brand.json', 'b.example', 3, 0, 0, false, 0`)
      let now = start
      let seq = 0
      for (const { attempts, again, pause, requested } of rounds) {
        for (let n = 0; n < again; n++) {
          now += pause
          const recrawling = { now, seq: ++seq, nextRun: now + DAY, soonestMs: 6 * HOUR }
          const observations = attempts.map(attempt => buildObservation(attempt, now))
          if (requested !== undefined) {
            const { kind, location } = files[requested]!
            await db.run(
              'update crawl_state set requested = true where kind = $kind and location = $location',
              { kind, location },
            )
          }
          quickly += await apply(observations, recrawling)
          const state = await loadCrawlRows(db, files)
          expect((await applyObservations(db, observations, recrawling)).attempts).toEqual([])
          expect(await loadCrawlRows(db, files)).toEqual(state)
          await applyTransitions(db, now)
        }
      }
    }),
    { numRuns: 40 },
  )
  expect(quickly).toBeGreaterThan(100)
})
