import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../../pipeline/core/clock.ts'
import { type Outcome, outcomeNames } from '../../../pipeline/core/outcomes.ts'
import {
  type Observation,
  type Source,
  sourceKinds,
  toSourceKey,
} from '../../../pipeline/model/observation.ts'
import { Database } from '../../../pipeline/store/database.ts'
import { createTables } from '../../../pipeline/store/index-tables.ts'
import {
  applyChanged,
  applyTransitions,
  applyUnchanged,
} from '../../../pipeline/writer/crawl/crawl-state.ts'
import { stage } from '../../../pipeline/writer/crawl/staging.ts'

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

const byFile = (a: Source, b: Source) => (toSourceKey(a) < toSourceKey(b) ? -1 : 1)

let both: Database[] = []
beforeAll(async () => {
  both = await Promise.all([Database.open(':memory:'), Database.open(':memory:')])
  for (const db of both) {
    await createTables(db)
    await db.run(`insert into depends_on
      values ('publisher', 'x.example', 'brand.json', 'b.example'),
        ('publisher', 'y.example', 'ads.txt', 'a.example')`)
  }
})
afterAll(() => {
  for (const db of both) db.close()
})

const loadState = (db: Database) => db.all('select * from crawl_state order by kind, location')

it('the one statement for unchanged observations has the effect of the full path', async () => {
  let quickly = 0
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async rounds => {
      for (const db of both) {
        await db.run('delete from crawl_state')
        await db.run(`insert into crawl_state (kind, location, priority, streak, due_at, requested, seq)
          select 'agent', 'a.example', 2, 0, 0, false, 0
          union all select 'brand.json', 'b.example', 3, 0, 0, false, 0`)
      }
      let now = start
      let seq = 0
      for (const { attempts, again, pause, requested } of rounds) {
        for (let n = 0; n < again; n++) {
          now += pause
          const recrawling = { now, seq: ++seq, nextRun: now + DAY, soonestMs: 6 * HOUR }
          const observations = attempts.map(attempt => buildObservation(attempt, now))
          if (requested !== undefined) {
            const { kind, location } = files[requested]!
            for (const db of both) {
              await db.run(
                'update crawl_state set requested = true where kind = $kind and location = $location',
                { kind, location },
              )
            }
          }
          const [one, other] = both as [Database, Database]
          const [first, second] = await Promise.all([
            one.transaction(async () => {
              const staged = await stage(one, observations)
              const { taken, invalidated } = await applyUnchanged(one, staged, recrawling)
              quickly += taken
              return [...invalidated, ...(await applyChanged(one, staged, recrawling))].sort(byFile)
            }),
            other.transaction(async () => {
              return applyChanged(other, await stage(other, observations), recrawling)
            }),
          ])
          expect(first).toEqual(second)
          expect(await loadState(one)).toEqual(await loadState(other))
          expect(await applyTransitions(one, now)).toEqual(await applyTransitions(other, now))
        }
      }
    }),
    { numRuns: 40 },
  )
  expect(quickly).toBeGreaterThan(100)
})
