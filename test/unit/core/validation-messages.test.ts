import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileValidator } from '../../../api/operation/validation.ts'
import { operations } from '../../../api/routes/index.ts'
import { describeIssue } from '../../../pipeline/core/validation-messages.ts'

test.each([
  [z.string(), undefined, 'is required'],
  [z.string(), 7, 'must be a string'],
  [z.string(), ['a', 'b'], 'must be a single value'],
  [z.array(z.string()), 'a', 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(2), 'a', 'must be at least 2 characters'],
  [z.string().max(2), 'abc', 'must be at most 2 characters'],
  [z.array(z.int()).max(1), [1, 2], 'must be at most 1 items'],
  [z.int().max(3), 4, 'must be at most 3'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.enum(['a', 'b']), 'c', 'must be a or b'],
  [z.enum(['a', 'b', 'c']), 'd', 'must be one of a, b, or c'],
  [z.literal('a'), 'c', 'must be a'],
  [z.uuid(), 'x', 'must be a UUID'],
  [z.iso.datetime(), 'x', 'must be a date and time such as 2026-11-20T03:00:00Z'],
  [z.iso.date(), 'x', 'must be a day such as 2026-11-20'],
  [z.string().regex(/^a$/), 'x', 'has the wrong format'],
  [z.union([z.string(), z.int()]), [], 'must be a string or a number'],
  [z.union([z.array(z.int()), z.object({})]), 'x', 'must be a list or an object'],
  [z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), {}, 'has the wrong type'],
  [z.object({ a: z.union([z.string(), z.object({})]) }), {}, 'is required'],
  [z.discriminatedUnion('a', [z.object({ a: z.literal(1) })]), { a: 2 }, 'has the wrong type'],
  [z.strictObject({}), { x: 1, y: 2 }, 'has unknown fields: x, y'],
  [z.string({ error: 'must be our words' }), 7, 'must be our words'],
])('a fault is described in plain words: %#', (schema, values, words) => {
  const { error } = (schema as z.ZodType).safeParse(values, { error: describeIssue })
  expect(error?.issues.map(({ message }) => message)).toEqual([words])
})

/** Values that no field of any request accepts, and values that many refuse. */
const wrong = [undefined, null, 7, -1, 1.5, true, '', 'x', '\ud800', [], [7], {}, { a: 1 }]

test('no error quotes the wording of the schema library', () => {
  const parts = operations.flatMap(({ query, params, body }) =>
    [query, params, body].filter(part => part !== undefined),
  )
  const words = parts.flatMap(schema => {
    const check = compileValidator({ schema, method: 'POST', url: '/', httpPart: 'body' })
    const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
    const values = [...wrong, ...names.flatMap(name => wrong.map(value => ({ [name]: value })))]
    return values.flatMap(value => {
      const read = check(value) as { error?: Error }
      return read.error ? [read.error.message] : []
    })
  })
  expect(words.length).toBeGreaterThan(1_000)
  expect(words.filter(text => /Invalid|expected|\/\^|undefined|NaN/.test(text))).toEqual([])
})
