import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AskedBefore } from '../../pipeline/index/points/asked-before.ts'

test('what was just asked is known to have been asked, and nothing is before it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), texts => {
      const before = new AskedBefore()
      for (const text of new Set(texts)) {
        before.note(text)
        expect(before.note(text)).toBe(true)
      }
      expect(new AskedBefore().note(texts[0]!)).toBe(false)
    }),
  )
})

test('of as many questions as a second brings nearly all are remembered', () => {
  const before = new AskedBefore()
  const questions = Array.from({ length: 10_000 }, (_, n) => `d${n}.example https://a.example/mcp`)
  expect(questions.filter(question => before.note(question))).toEqual([])
  const known = questions.filter(question => before.note(question))
  expect(known.length).toBeGreaterThan(8_000)
})
