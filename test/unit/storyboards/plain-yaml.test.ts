import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { listStoryboards } from '../../../pipeline/storyboards/catalog.ts'
import { parsePlainYaml } from '../../../pipeline/storyboards/plain-yaml.ts'

/** Reads everything before the steps, without texts on several lines. */
function readHead(file: string): string {
  const [head = ''] = readFileSync(file, 'utf8').split(/^phases:/m)
  return head.replace(/^(?:narrative|caller|fixtures|prerequisites):.*\n(?:(?: .*)?\n)*/gm, '')
}

test('heads of the installed storyboards are read as the library reads them', () => {
  const heads = listStoryboards().map(({ file }) => readHead(file))
  const read = heads.map(head => ({ head, plain: parsePlainYaml(head) }))
  const plain = read.filter(({ plain }) => plain !== undefined)
  for (const { head, plain: found } of plain) expect(found).toEqual(parse(head))
  expect(plain.length).toBeGreaterThan(heads.length * 0.7)
})

test.each([
  ['a: b\nc:\n  - d\n  - "e: f"\n'],
  ['a:\n- b\n- c\nd: e\n'],
  ['a: [b, c] # d\ne: []\n'],
  ["a: 'b'\nb:\n  c:\n    d: e # no\n"],
  ['a: 1\n'],
  ['a: Yes\n'],
  ['a: true\n'],
  ['a: b\n  c\n'],
  ['a: "b\\u00e9"\n'],
  ['a: >\n  b\n'],
  ['a: *b\n'],
  ['a: &b c\n'],
  ['a: b: c\n'],
  ['a: [b, 1]\n'],
  ['a: [true]\n'],
  ['a:\n  - b: c\n'],
  ['a:\n  - b\n    - c\n'],
  ['a:\n  b: c\n d: e\n'],
  ['__proto__: a\n'],
  ['a: b\na: c\n'],
  ['a: 2026-01-01\n'],
  ['a: null\n'],
  ['a:\n'],
  ['a: b #c\n'],
  ['a: b#c\n'],
  ['a: "b" # c\n'],
  ['a: b:\n'],
  ['a: "b\tc"\n'],
])('what is read of %j is what the library reads, or nothing', text => {
  const found = parsePlainYaml(text)
  if (found !== undefined) expect(found).toEqual(parse(text))
})
