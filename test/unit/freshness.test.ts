import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outcomeNames } from '../../pipeline/core/outcomes.ts'
import {
  freshnessJson,
  freshnessValue,
  mergedFreshness,
  readFreshness,
} from '../../pipeline/index/serving-freshness.ts'
import { sourceKinds } from '../../pipeline/model/observation.ts'

const moment = fc.integer({ min: 1, max: 4e12 })
const kind = fc.constantFrom(...sourceKinds)
const facts = fc.record({
  outcome: fc.constantFrom(...outcomeNames),
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  attempted_at: moment,
  succeeded_at: fc.option(moment),
})

test('a freshness block as text says what it says as an object, and nothing that is not known', () => {
  fc.assert(
    fc.property(kind, facts, moment, (file, known, now) => {
      const block = readFreshness(freshnessValue(file, known), file, now)
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
  const block = readFreshness(undefined, 'brand.json', 0)
  expect(JSON.parse(freshnessJson(block))).toEqual({ state: 'never_crawled' })
})

test('what is said of one file of a location leaves what is known of its others, in whatever order it comes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, facts), { minLength: 1 }), moment, (all, now) => {
      const last = new Map(all)
      const merge = (told: Iterable<readonly [(typeof all)[number][0], (typeof all)[number][1]]>) =>
        [...told]
          .map(([file, known]) => freshnessValue(file, known))
          .reduce<Buffer | undefined>((before, value) => mergedFreshness(before, value), undefined)!
      const value = merge(all)
      for (const file of sourceKinds) {
        const known = last.get(file)
        const alone = known && freshnessValue(file, known)
        expect(readFreshness(value, file, now)).toEqual(readFreshness(alone, file, now))
      }
      expect(merge([...last].reverse())).toEqual(value)
      expect(mergedFreshness(value, value)).toEqual(value)
    }),
  )
})
