import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AdmissionFilter } from '../../../../pipeline/read/cache/admission-filter.ts'

test('what was just asked is known to have been asked, and nothing is before it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), texts => {
      const filter = new AdmissionFilter()
      for (const text of new Set(texts)) {
        filter.admits(text)
        expect(filter.admits(text)).toBe(true)
      }
      expect(new AdmissionFilter().admits(texts[0]!)).toBe(false)
    }),
  )
})

test('of as many questions as a second brings nearly all are remembered', () => {
  const filter = new AdmissionFilter()
  const questions = Array.from({ length: 10_000 }, (_, n) => `d${n}.example https://a.example/mcp`)
  expect(questions.filter(question => filter.admits(question))).toEqual([])
  const known = questions.filter(question => filter.admits(question))
  expect(known.length).toBeGreaterThan(8_000)
})
