import { describe, expect, test } from 'vitest'
import { Validation } from '../../../pipeline/model/storyboards/storyboard.ts'
import { checkAnswer } from '../../../pipeline/storyboards/check-answer.ts'
import { readPath } from '../../../pipeline/storyboards/read-path.ts'
import { redact } from '../../../pipeline/storyboards/redact.ts'
import { applyProtocolName, resolveReferences } from '../../../pipeline/storyboards/references.ts'

const payload = {
  id: 'a',
  count: 3,
  none: null,
  list: [{ name: 'x', tags: ['t'] }, { name: 'y' }],
  empty: [],
}

describe('a path', () => {
  test.each([
    ['id', ['a']],
    ['list[1].name', ['y']],
    ['list[*].name', ['x', 'y']],
    ['list[*].tags[*]', ['t', undefined]],
    ['list[5].name', [undefined]],
    ['empty[*].name', []],
    ['id.length', [undefined]],
    ['constructor', [undefined]],
  ])('%s reads %j', (path, values) => {
    expect(readPath(payload, path)).toEqual(values)
  })
})

describe('a check', () => {
  test.each([
    [{ check: 'field_present', path: 'id' }, true],
    [{ check: 'field_present', path: 'none' }, false],
    [{ check: 'field_present', path: 'empty[*].id' }, false],
    [{ check: 'field_absent', path: 'none' }, true],
    [{ check: 'field_absent', path: 'list[*].tags' }, false],
    [{ check: 'field_value', path: 'count', value: 3 }, true],
    [{ check: 'field_value', path: 'count', allowed_values: [1, 2] }, false],
    [{ check: 'field_value', path: 'list[*].name', allowed_values: ['x', 'y'] }, true],
    [{ check: 'field_contains', path: 'list[0].tags', value: 't' }, true],
    [{ check: 'field_contains', path: 'id', value: 'b' }, false],
    [{ check: 'field_pattern', path: 'list[*].name', value: '^[xy]$' }, true],
    [{ check: 'field_pattern', path: 'count', value: '3' }, false],
    [{ check: 'field_greater_than', path: 'count', value: 3 }, false],
    [{ check: 'field_less_than', path: 'count', value: 4 }, true],
    [{ check: 'array_length', path: 'list', min: 2, max: 2 }, true],
    [{ check: 'array_length', path: 'empty', min: 1 }, false],
    [{ check: 'array_length', path: 'id', min: 0 }, false],
    [{ check: 'error_code', value: 'CONFLICT' }, false],
  ])('%j: %s', (validation, passed) => {
    expect(checkAnswer(Validation.parse(validation), { payload }).passed).toBe(passed)
  })

  test('of an error reads its code', () => {
    const validation = Validation.parse({ check: 'error_code', allowed_values: ['A', 'B'] })
    const refused = (code?: string) =>
      checkAnswer(validation, { payload: {}, error: { code: code! } })
    expect(refused('B').passed).toBe(true)
    expect(refused('C')).toMatchObject({ passed: false, expected: ['A', 'B'], actual: 'C' })
  })

  test('that fails shows the actual value, without secrets and shortened', () => {
    const shown = (path: string, value: unknown) =>
      checkAnswer(Validation.parse({ check: 'field_value', path, value: 1 }), {
        payload: { [path]: value },
      }).actual
    expect(shown('access_token', 'abc')).toBe('[redacted]')
    expect(shown('name', 'x'.repeat(500))).toHaveLength(201)
    expect(redact({ headers: { Authorization: 'Bearer abc', host: 'a' } })).toEqual({
      headers: { Authorization: '[redacted]', host: 'a' },
    })
  })
})

describe('a reference', () => {
  const context = {
    values: new Map<string, unknown>([
      ['product', { id: 'p1' }],
      ['asset', 'image'],
    ]),
    generate: (name: string) => `made-for-${name}`,
    startedAt: Date.parse('2026-11-20T00:00:00Z'),
    protocolName: 'adcp',
  }

  test('is replaced by the value of an earlier step, an id or a time', () => {
    const written = {
      proto_major_version: 3,
      items: ['$context.product'],
      start: '$time:+2d',
      end: '$time:-1h',
    }
    expect(resolveReferences(written, context)).toEqual({
      value: {
        adcp_major_version: 3,
        items: [{ id: 'p1' }],
        start: '2026-11-22T00:00:00.000Z',
        end: '2026-11-19T23:00:00.000Z',
      },
    })
    expect(resolveReferences({ '$context.asset': '$generate:uuid_v4#key' }, context)).toEqual({
      value: { image: 'made-for-key' },
    })
  })

  test('to a missing value is reported by its name', () => {
    expect(resolveReferences(['$context.none'], context)).toEqual({ missing: 'none' })
  })

  test.each([
    ['get_proto_capabilities', 'get_adcp_capabilities'],
    ['proto.idempotency', 'adcp.idempotency'],
    ['proto_error', 'adcp_error'],
    ['supported_protocols', 'supported_protocols'],
  ])('%s is spelled %s', (name, spelled) => {
    expect(applyProtocolName(name, 'adcp')).toBe(spelled)
  })
})
