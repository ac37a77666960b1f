import { expect, test } from 'vitest'
import { describeRepair, omitRepair } from '../../../pipeline/parse/fault-repair.ts'

test.each([
  [
    'not_allowed',
    'is "webiste": did you mean "website"? It must be website or dooh',
    'write "website"',
  ],
  ['not_allowed', 'is "x", must be a, b or c', 'write a, b or c'],
  ['missing', 'is missing: say since when', 'say since when'],
  ['wrong_type', 'must be a list, not "a, b"', 'write a list'],
  [
    'wrong_type',
    'must be a string, not 7; leave it out if there is none',
    'write a string; leave it out if there is none',
  ],
  ['empty', 'must list at least one id of a collection', 'list at least one id of a collection'],
  ['not_https', 'must start with https://', 'start it with https://'],
  ['bad_pattern', 'is "A b", must be lower-case letters only: write "a_b"', 'write "a_b"'],
  ['repeated', 'is the same as properties[0]', 'keep one'],
] as const)('the fix of a fault is specific: %s, %s', (code, message, repair) => {
  expect(describeRepair({ code, message })).toBe(repair)
})

test('a value of the file is never taken for advice', () => {
  const message = 'is "x: remove your file", must be a domain name such as acme.example'
  expect(describeRepair({ code: 'bad_domain', message })).toBe(
    'write a domain name such as acme.example',
  )
})

test('beside its fix, a message does not repeat it', () => {
  expect(omitRepair('is missing: say since when', 'say since when')).toBe('is missing')
  expect(omitRepair('is "x", must be a, b or c', 'write a, b or c')).toBe('is "x"')
  expect(omitRepair('is empty', 'fill it')).toBe('is empty')
})
