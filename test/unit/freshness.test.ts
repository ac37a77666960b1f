import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outcomeNames } from '../../pipeline/core/outcomes.ts'
import { freshnessJson, freshnessValue, readFreshness } from '../../pipeline/index/serving-value.ts'

const moment = fc.integer({ min: 1, max: 4e12 })
const facts = fc.record({
  outcome: fc.constantFrom(...outcomeNames),
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  attempted_at: moment,
  succeeded_at: fc.option(moment),
})

test('a freshness block as text says what it says as an object, and nothing that is not known', () => {
  fc.assert(
    fc.property(facts, moment, (known, now) => {
      const block = readFreshness(freshnessValue(known), now)
      expect(JSON.parse(freshnessJson(block))).toEqual(block)
      expect(block).toMatchObject({
        outcome: known.outcome,
        checked_at: new Date(known.attempted_at).toISOString(),
      })
      expect(block.http_status).toBe(known.status ?? undefined)
      expect(block.succeeded_at).toBe(
        known.succeeded_at === null ? undefined : new Date(known.succeeded_at).toISOString(),
      )
    }),
  )
  expect(JSON.parse(freshnessJson(readFreshness(undefined, 0)))).toEqual({ state: 'never_crawled' })
})
