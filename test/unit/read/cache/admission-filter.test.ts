import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AdmissionFilter } from '../../../../pipeline/read/cache/admission-filter.ts'

test('a key counts as requested before only after its first request', () => {
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

test('it remembers nearly all keys of a busy second', () => {
  const filter = new AdmissionFilter()
  const questions = Array.from({ length: 10_000 }, (_, n) => `d${n}.example https://a.example/mcp`)
  expect(questions.filter(question => filter.admits(question))).toEqual([])
  const known = questions.filter(question => filter.admits(question))
  expect(known.length).toBeGreaterThan(9_900)
})
