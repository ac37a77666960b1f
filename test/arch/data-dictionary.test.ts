import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROW = /^\| `(?<column>\w+)` \| `.*`, may be null \| (?<meaning>.*) \|$/gm

test('every column that may be null says what null means', () => {
  const rows = [...readFileSync('data/README.md', 'utf8').matchAll(ROW)]
  expect(rows.length).toBeGreaterThan(100)
  const silent = rows.filter(({ groups }) => !/\b(?:null|none)\b/.test(groups!.meaning!))
  expect(silent.map(({ groups }) => `${groups!.column}: ${groups!.meaning}`)).toEqual([])
})
