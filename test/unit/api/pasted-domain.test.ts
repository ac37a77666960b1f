import { expect, test } from 'vitest'
import { PastedDomain } from '../../../api/inputs/fields.ts'

const IDN = 'xn--bcher-kva.example'

test.each([
  'bücher.example',
  'BÜCHER.example',
  'bu\u0308cher.example',
  'bücher。example',
  'ｂücher．example',
  'bücher.example.',
  'bücher。example。',
  'bücher.example．',
  'XN--BCHER-KVA.EXAMPLE.',
  ' https://bücher.example/a?b#c ',
  'HTTP://Bücher.example./',
])('a domain is recognised in every form that people paste: %s', text => {
  expect(PastedDomain.parse(text)).toBe(IDN)
})

test.each([
  '',
  '.',
  '。',
  'example',
  'a..example',
  'https://',
  'a.example:80',
  '127.0.0.1',
  'a b.example',
])('text that is no domain is not accepted as one: %s', text => {
  expect(PastedDomain.safeParse(text).success).toBe(false)
})
