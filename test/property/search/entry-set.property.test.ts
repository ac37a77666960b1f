import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EntrySet } from '../../../pipeline/search/entry-set.ts'

const COUNT = 2_000
const ids = fc.array(fc.oneof(fc.nat(COUNT - 1), fc.constantFrom(0, 31, 32, 1_023, COUNT - 1)), {
  maxLength: 900,
  size: 'max',
})

it('a set of any size has each of its entries once and lists them in rising order', () => {
  fc.assert(
    fc.property(ids, fc.boolean(), (added, isMany) => {
      const set = new EntrySet(COUNT, isMany ? COUNT : added.length)
      for (const id of added) set.add(id)
      const expected = [...new Set(added)].sort((a, b) => a - b)
      const rising = set.iterateAscending()
      let step = rising.next()
      while (!step.done) step = rising.next()
      expect(step.value).toEqual(expected)
      expect(set.size).toBe(expected.length)
      const has = Array.from({ length: COUNT }, (_, id) => id).filter(id => set.has(id))
      expect(has).toEqual(expected)
    }),
    { numRuns: 100 },
  )
})
