import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '../../../pipeline/core/format-json.ts'

const padding = 'x'.repeat(120)

test('JSON in one line gets the lines that an editor would give it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const padded = { padding, value: JSON.parse(JSON.stringify(value)) }
      const expected = `${JSON.stringify(padded, null, 2)}\n`
      expect(formatJson(JSON.stringify(padded))).toBe(expected)
    }),
  )
})

test('values stay as they are written, and a syntax error stays where it is', () => {
  const text = `{"a":1e400,"a":12345678901234567890,,"b":["${padding}"`
  const indented = formatJson(text)
  expect(indented.replace(/\s/g, '')).toBe(text)
  expect(indented.split('\n')).toHaveLength(7)
})

test('a short line of several members gets lines as well', () => {
  expect(formatJson('{"a":1,"b":[]}')).toBe('{\n  "a": 1,\n  "b": []\n}\n')
})

test.each([
  ['a single member', '{"a":1}'],
  ['a text with lines', `{"a":\n"${padding}"}`],
  ['a web page', `<!doctype html>${padding}`],
  ['nothing but nesting', '['.repeat(100_000)],
])('%s stays as it is', (_, text) => {
  expect(formatJson(text)).toBe(text)
})
