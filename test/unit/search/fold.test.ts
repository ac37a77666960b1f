import { expect, test } from 'vitest'
import { fold, listTypedForms, splitWords } from '../../../pipeline/search/fold.ts'
import { isWithinOneEdit, toCodePoints } from '../../../pipeline/search/one-edit.ts'

test.each([
  ['ACME Corp', 'acme corp'],
  ['  Acme \t  Corp\n', 'acme corp'],
  ['Müller', 'muller'],
  ['Mu\u0308ller', 'muller'],
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['GROẞ', 'gross'],
  ['Ørsted', 'orsted'],
  ['Łódź', 'lodz'],
  ['Æther Œuvre', 'aether oeuvre'],
  ['Đặng', 'dang'],
  ['Þór', 'thor'],
  ['İstanbul', 'istanbul'],
  ['ılık', 'ilik'],
  ['ＡＣＭＥ', 'acme'],
  ['ﬁnance', 'finance'],
  ['Ⅳ ①', 'iv 1'],
  ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  ['МЕДИА', 'медиа'],
  ['カ\u3099', 'カ'],
  ['ac\u200dme\ufeff', 'acme'],
  ['a\u0000b\u0001c', 'a b c'],
  ['\u202eemca\u202c', 'emca'],
  ['a\ud800b', 'ab'],
  ['\u0301', ''],
  ['C++ & 100%', 'c++ & 100%'],
  ['x😀', 'x😀'],
])('%j is compared as %j', (text, folded) => {
  expect(fold(text)).toBe(folded)
})

test('words are runs of letters and digits', () => {
  expect(splitWords('coca-cola.example & 4x4 東京')).toEqual([
    'coca',
    'cola',
    'example',
    '4x4',
    '東京',
  ])
  expect(splitWords('--')).toEqual([])
})

test.each([
  ['acme.example', ['acme.example']],
  ['xn--bcher-kva.example', ['xn--bcher-kva.example', 'bücher.example']],
  ['xn--a.example', ['xn--a.example']],
])('%s is typed as %j', (domain, forms) => {
  expect(listTypedForms(domain)).toEqual(forms)
})

test.each([
  ['nike', 'nike', true],
  ['nik', 'nike', true],
  ['nikee', 'nike', true],
  ['mike', 'nike', true],
  ['inke', 'nike', true],
  ['niek', 'nike', true],
  ['ikne', 'nike', false],
  ['nk', 'nike', false],
  ['niik', 'nike', false],
  ['inkes', 'nike', false],
  ['enik', 'nike', false],
  ['', 'n', true],
  ['東亰', '東京', true],
  ['x😀', 'x😁', true],
])('%s is within one edit of %s: %s', (a, b, is) => {
  expect(isWithinOneEdit(toCodePoints(a), toCodePoints(b))).toBe(is)
  expect(isWithinOneEdit(toCodePoints(b), toCodePoints(a))).toBe(is)
})
