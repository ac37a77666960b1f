import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outcomeNames } from '../../../pipeline/core/outcomes.ts'
import { sourceKinds } from '../../../pipeline/model/observation.ts'
import {
  encodeFreshness,
  formatFreshness,
  mergeFreshness,
  readFreshness,
} from '../../../pipeline/serving/freshness-record.ts'

const moment = fc.integer({ min: 1, max: 4e12 })
const kind = fc.constantFrom(...sourceKinds)
const facts = fc.record({
  outcome: fc.constantFrom(...outcomeNames.filter(name => name !== 'deferred')),
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  attempted_at: moment,
  succeeded_at: fc.option(moment),
})

test('a freshness block written as text equals the object, without unknown fields', () => {
  fc.assert(
    fc.property(kind, facts, moment, (file, known, now) => {
      const block = readFreshness(encodeFreshness(file, known), file, now)
      expect(JSON.parse(formatFreshness(block))).toEqual(block)
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
  const deferred = {
    outcome: 'deferred',
    status: null,
    attempted_at: 0,
    succeeded_at: null,
  } as const
  const waiting = readFreshness(encodeFreshness('brand.json', deferred), 'brand.json', 0)
  expect(waiting).toEqual({ state: 'never_crawled', outcome: 'deferred' })
  expect(JSON.parse(formatFreshness(waiting))).toEqual(waiting)
  const block = readFreshness(undefined, 'brand.json', 0)
  expect(JSON.parse(formatFreshness(block))).toEqual({ state: 'never_crawled' })
})

test('an update of one file’s freshness keeps that of the others, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, facts), { minLength: 1 }), moment, (all, now) => {
      const last = new Map(all)
      const merge = (told: Iterable<readonly [(typeof all)[number][0], (typeof all)[number][1]]>) =>
        [...told]
          .map(([file, known]) => encodeFreshness(file, known))
          .reduce<Buffer | undefined>((before, value) => mergeFreshness(before, value), undefined)!
      const value = merge(all)
      for (const file of sourceKinds) {
        const known = last.get(file)
        const alone = known && encodeFreshness(file, known)
        expect(readFreshness(value, file, now)).toEqual(readFreshness(alone, file, now))
      }
      expect(merge([...last].reverse())).toEqual(value)
      expect(mergeFreshness(value, value)).toEqual(value)
    }),
  )
})
