import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'

test('a time is formatted as Date does, whatever was formatted before', () => {
  const instant = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
  fc.assert(
    fc.property(fc.array(instant), instants => {
      expect(instants.map(toIso)).toEqual(instants.map(instant => new Date(instant).toISOString()))
    }),
  )
})
