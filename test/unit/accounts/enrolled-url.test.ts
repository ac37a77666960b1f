import { expect, test } from 'vitest'
import { EnrolledUrl } from '../../../pipeline/model/accounts/member.ts'

const CHARS_MAX = 1_000
const toUrl = (letter: string, count: number) => `https://a.example/${letter.repeat(count)}`
const isTaken = (url: string) => EnrolledUrl.safeParse(url).success

test('the key of an enrolled agent is bounded, however its address is written', () => {
  const rest = CHARS_MAX - toUrl('a', 0).length
  expect(isTaken(toUrl('a', rest))).toBe(true)
  expect(isTaken(toUrl('a', rest + 1))).toBe(false)
  const escaped = '%C3%A9'.length
  expect(EnrolledUrl.parse(toUrl('é', 100))).toBe(toUrl('%C3%A9', 100))
  expect(isTaken(toUrl('é', Math.floor(rest / escaped)))).toBe(true)
  expect(isTaken(toUrl('é', Math.floor(rest / escaped) + 1))).toBe(false)
  expect(isTaken(toUrl('é', 400))).toBe(false)
})

test('an address that is too long is refused with one sentence', () => {
  for (const url of [toUrl('a', CHARS_MAX), toUrl('é', 400), toUrl('é', CHARS_MAX)])
    expect(EnrolledUrl.safeParse(url).error?.issues).toMatchObject([{ code: 'too_big' }])
})
