import { describe, expect, test } from 'vitest'
import { Validation } from '../../../pipeline/model/storyboards/validation.ts'
import { checkAnswer } from '../../../pipeline/storyboards/check-answer.ts'
import type { Judged } from '../../../pipeline/storyboards/judged.ts'
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

/** Checks an answer; `known` says what else the run knows. */
function check(validation: object, known: Partial<Judged>) {
  const rule = Validation.parse(validation)
  if (rule.check === 'unknown') throw new Error('nobody knows this check')
  return checkAnswer(rule, {
    outcome: { payload: {} },
    agentUrl: 'https://agent.example/mcp',
    values: new Map(),
    findContributor: () => undefined,
    checkSchema: () => undefined,
    ...known,
  })
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
    ['list.1.name', ['y']],
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
    [{ check: 'field_less_than', path: 'count', value: 4 }, true],
    [{ check: 'field_less_than', path: 'count', value: 3 }, false],
    [{ check: 'field_less_than', path: 'id', value: 3 }, false],
    [{ check: 'error_code', value: 'CONFLICT' }, false],
    [{ check: 'error_code' }, false],
    [{ check: 'field_value_or_absent', path: 'missing', value: 1 }, true],
    [{ check: 'field_value_or_absent', path: 'count', value: 1 }, false],
    [{ check: 'field_value_or_absent', path: 'none', allowed_values: [1] }, false],
    [{ check: 'field_contains', path: 'list[*].name', value: 'y' }, true],
    [{ check: 'envelope_field_present', path: 'id' }, true],
    [{ check: 'envelope_field_absent', path: 'id' }, false],
    [{ check: 'field_equals_context', path: 'id', context_key: 'nothing' }, true],
    [{ check: 'http_status', value: 200 }, false],
    [{ check: 'any_of', allowed_values: ['flag'] }, false],
  ])('%j: %s', (validation, passed) => {
    expect(check(validation, { outcome: { payload } }).passed).toBe(passed)
  })

  test('of HTTP reads status and headers', () => {
    const http = { status: 401, headers: { 'www-authenticate': 'Bearer' } }
    const passes = (validation: object, given = http) => check(validation, { http: given }).passed
    expect(passes({ check: 'http_status_in', allowed_values: [401, 403] })).toBe(true)
    expect(passes({ check: 'http_status', value: 200 })).toBe(false)
    const needsHeader = { check: 'on_401_require_header', value: 'WWW-Authenticate' }
    expect(passes(needsHeader)).toBe(true)
    expect(passes(needsHeader, { status: 401, headers: {} as typeof http.headers })).toBe(false)
    expect(passes(needsHeader, { status: 403, headers: {} as typeof http.headers })).toBe(true)
  })

  test.each([
    ['https://AGENT.example/mcp/', true],
    ['https://agent.example', false],
    [undefined, false],
  ])('of the resource takes %s: %s', (resource, passed) => {
    const payload = { resource }
    expect(check({ check: 'resource_equals_agent_url' }, { outcome: { payload } }).passed).toBe(
      passed,
    )
  })

  test('of references looks for each of the agent’s own in the other answer', () => {
    const own = { agent_url: 'https://agent.example', id: 'a' }
    const other = { agent_url: 'https://other.example', id: 'b' }
    const rule = {
      check: 'refs_resolve',
      source: { from: 'context', path: 'products[*].format_ids[*]' },
      target: { from: 'current_step', path: 'formats[*].format_id' },
      match_keys: ['agent_url', 'id'],
      scope: { key: 'agent_url', equals: '$agent_url' },
    }
    const resolve = (format_ids: object[], formats: object[], more = {}) =>
      check(rule, {
        values: new Map([['products', [{ format_ids }]]]),
        outcome: { payload: { formats: formats.map(format_id => ({ format_id })), ...more } },
      }).passed
    expect(resolve([own, other], [own])).toBe(true)
    expect(resolve([own], [{ ...own, id: 'c' }])).toBe(false)
    expect(resolve([own], [], { pagination: { has_more: true } })).toBe(true)
  })

  describe('of formats', () => {
    const legacy = { agent_url: 'https://agent.example', id: 'display_300x250' }
    const product = {
      product_id: 'p',
      format_options: [
        {
          format_kind: 'image',
          format_option_id: 'mrec',
          v1_format_ref: [legacy],
          params: { width: 300, height: 250, file_types: ['png', 'jpg'] },
        },
        {
          format_kind: 'video_hosted',
          publisher_domain: 'publisher.example',
          format_option_id: 'spot',
          params: { duration_ms_range: [15_000, 30_000], min_width: 640 },
        },
      ],
    }
    const image = { width: 300, height: 250, file_types: ['png'] }
    const spot = { duration_ms: 20_000, width: 1_280 }
    const refused = (message: string) => ({ code: 'VALIDATION_ERROR', message })
    const judge = (value: boolean, choice: object, error?: object) =>
      check(
        { check: 'canonical_format_satisfaction', value },
        {
          values: new Map([['products', [product]]]),
          request: { packages: [{ product_id: 'p', ...choice }] },
          outcome: { payload: {}, ...(error && { error }) },
        },
      ).passed

    test.each([
      [{}, true],
      [{ format_ids: [legacy] }, true],
      [{ format_ids: [{ ...legacy, id: 'display_728x90' }] }, false],
      [{ format_option_refs: [{ scope: 'product', format_option_id: 'mrec' }] }, true],
      [{ format_option_refs: [{ scope: 'product', format_option_id: 'spot' }] }, false],
      [
        {
          format_option_refs: [
            {
              scope: 'publisher',
              publisher_domain: 'publisher.example',
              format_option_id: 'spot',
            },
          ],
        },
        true,
      ],
      [{ format_kind: 'image', params: image }, true],
      [{ format_kind: 'image', params: { ...image, width: 728 } }, false],
      [{ format_kind: 'image', params: { ...image, file_types: ['gif'] } }, false],
      [{ format_kind: 'image' }, false],
      [{ format_kind: 'audio', params: image }, false],
      [{ format_kind: 'video_hosted', params: spot }, true],
      [{ format_kind: 'video_hosted', params: { ...spot, duration_ms: 45_000 } }, false],
      [{ format_kind: 'video_hosted', params: { ...spot, width: 320 } }, false],
      [{ product_id: 'another' }, false],
    ])('%j fits its product: %s', (choice, fits) => {
      const answered = fits ? undefined : refused('No such format')
      expect(judge(fits, choice, answered)).toBe(true)
      expect(judge(!fits, choice, answered)).toBe(false)
    })

    test('an agent must refuse for the format, and nothing else', () => {
      const choice = { format_kind: 'audio' }
      expect(judge(false, choice)).toBe(false)
      expect(judge(false, choice, refused('No such account'))).toBe(false)
      expect(judge(true, {}, refused('No such format'))).toBe(false)
    })
  })

  test('of a kind that nobody knows is told apart', () => {
    expect(Validation.parse({ check: 'of_the_future', depth: 3 })).toEqual({
      check: 'unknown',
      kind: 'of_the_future',
    })
  })

  test('of an error reads its code', () => {
    const refused = (code: string) =>
      check(
        { check: 'error_code', allowed_values: ['A', 'B'] },
        { outcome: { payload: {}, error: { code } } },
      )
    expect(refused('B').passed).toBe(true)
    expect(refused('C')).toMatchObject({ passed: false, expected: ['A', 'B'], actual: 'C' })
  })

  test('that fails shows the actual value, without secrets and shortened', () => {
    const shown = (path: string, value: unknown) =>
      check({ check: 'field_value', path, value: 1 }, { outcome: { payload: { [path]: value } } })
        .actual
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
