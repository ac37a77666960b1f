import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { listEndpoints } from '../../../pipeline/crawl/mcp/endpoints.ts'
import { EventStream } from '../../../pipeline/crawl/mcp/event-stream.ts'
import { readObject } from '../../../pipeline/crawl/mcp/message.ts'
import { extractResult } from '../../../pipeline/crawl/mcp/result.ts'
import {
  chooseAction,
  readRetryAfter,
  readTaskError,
} from '../../../pipeline/crawl/mcp/task-error.ts'
import { measureCpuMs } from '../../support/checks/measured-work.ts'

type Json = Record<string, unknown>

/** Loads vectors that the ecosystem's clients share, if they are installed. */
function loadVectors<Vector>(name: string, own: Vector[]): Vector[] {
  const file = ['../shared/vectors', '../../shared/vectors']
    .map(folder => `${folder}/${name}.json`)
    .find(path => existsSync(path))
  if (file === undefined) return own
  return [...own, ...(JSON.parse(readFileSync(file, 'utf8')).vectors as Vector[])]
}

interface ResultVector {
  id: string
  response: Json
  expected_data: Json | null
}

const text = (value: unknown) => ({
  type: 'text',
  text: typeof value === 'string' ? value : JSON.stringify(value),
})

const results: ResultVector[] = [
  {
    id: 'own: structured content wins over the text',
    response: { structuredContent: { a: 1 }, content: [text({ a: 2 })] },
    expected_data: { a: 1 },
  },
  {
    id: 'own: lists and single values are passed over for the first object',
    response: {
      content: [text([1]), text('7'), { type: 'image' }, text({ a: 1 }), text({ a: 2 })],
    },
    expected_data: { a: 1 },
  },
  {
    id: 'own: a list alone is nothing',
    response: { content: [text([{ a: 1 }])] },
    expected_data: null,
  },
  {
    id: 'own: structured content that is a list counts for nothing',
    response: { structuredContent: [1], content: [text({ a: 1 })] },
    expected_data: { a: 1 },
  },
  {
    id: 'own: a failed call has no data whatever it holds',
    response: { isError: true, structuredContent: { a: 1 } },
    expected_data: null,
  },
  {
    id: 'own: an error beside data is data',
    response: { structuredContent: { adcp_error: { code: 'X' }, a: 1 } },
    expected_data: { adcp_error: { code: 'X' }, a: 1 },
  },
  { id: 'own: no content at all', response: {}, expected_data: null },
  { id: 'own: content that is none', response: { content: 'text' }, expected_data: null },
]

describe('the result of a tool call', () => {
  test.each(loadVectors('mcp-response-extraction', results))('$id', vector => {
    expect(extractResult(vector.response, 'adcp_error') ?? null).toEqual(vector.expected_data)
  })

  it('changes no prototype', () => {
    const written = '{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true}}}'
    for (const response of [
      { structuredContent: JSON.parse(written) },
      { content: [{ type: 'text', text: written }] },
    ]) {
      const data = { ...extractResult(response, 'adcp_error')! }
      expect(data).not.toHaveProperty('admin')
      expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
    }
  })

  it('with endless nesting is no object', () => {
    expect(readObject(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toBeUndefined()
  })
})

interface ErrorVector {
  id: string
  transport: 'mcp' | 'a2a'
  response: Json
  expected_error: Json | null
  expected_action: string
}

const errors: ErrorVector[] = [
  {
    id: 'own: the plain form of an error, as text',
    transport: 'mcp',
    response: { isError: true, content: [text({ code: 'RATE_LIMITED', message: 'Later' })] },
    expected_error: { code: 'RATE_LIMITED', message: 'Later' },
    expected_action: 'retry',
  },
  {
    id: 'own: structured content of another kind gives way to the text',
    transport: 'mcp',
    response: {
      isError: true,
      structuredContent: { note: 1 },
      content: [text({ adcp_error: { code: 'ACCOUNT_SUSPENDED', message: 'No' } })],
    },
    expected_error: { code: 'ACCOUNT_SUSPENDED', message: 'No' },
    expected_action: 'escalate_to_human',
  },
  {
    id: 'own: a code that is somebody’s own, without a way to recover',
    transport: 'mcp',
    response: { isError: true, structuredContent: { adcp_error: { code: 'X_ODD' } } },
    expected_error: { code: 'X_ODD' },
    expected_action: 'escalate_to_human',
  },
  {
    id: 'own: a task of the second transport that works on has no error',
    transport: 'a2a',
    response: {
      status: { state: 'working' },
      artifacts: [{ parts: [{ kind: 'data', data: { adcp_error: { code: 'X' } } }] }],
    },
    expected_error: null,
    expected_action: 'generic_error',
  },
]

describe('a failure', () => {
  test.each(loadVectors('transport-error-mapping', errors))('$id', vector => {
    const error = readTaskError(vector.response, vector.transport, 'adcp_error')
    expect(error ?? null).toEqual(vector.expected_error)
    expect(chooseAction(error)).toBe(vector.expected_action)
  })

  it.each([
    [5, 5],
    [0.2, 1],
    [86_400, 3_600],
    [-1, undefined],
    ['5', undefined],
    [undefined, undefined],
  ])('a delay of %j seconds counts as %j', (retry_after, seconds) => {
    expect(readRetryAfter({ code: 'RATE_LIMITED', retry_after })).toBe(seconds)
  })
})

describe('an event stream', () => {
  const events = (...pieces: (string | Buffer)[]) => {
    const stream = new EventStream()
    return pieces.flatMap(piece =>
      stream.push(Buffer.from(piece as string)).map(({ data }) => data),
    )
  }

  it.each([
    ['a comment and an event without data are none', ': hi\n\nevent: ping\n\nid: 4\n\n', []],
    ['lines of data are one text', 'data: {\ndata: "a": 1\ndata:}\n\n', ['{\n"a": 1\n}']],
    ['any end of line counts', 'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n', ['1', '2', '3']],
    ['only one space is no data', 'data:  x\n\ndata:y\n\n', [' x', 'y']],
    ['a field of another name is none', 'database: x\nretry: 5\ndata: z\n\n', ['z']],
    ['data without its empty line is not complete', 'data: 1\n', []],
    ['an empty line of data is data', 'data\n\n', ['']],
  ])('%s', (_, written, expected) => {
    expect(events(written)).toEqual(expected)
  })

  it('is the same however its bytes are split', () => {
    const line = fc.constantFrom(
      ': x',
      'data: {"ä": "€"}',
      'data:',
      'event: message',
      'data: 🙂',
      '',
    )
    const end = fc.constantFrom('\n', '\r\n', '\r')
    const written = fc.array(
      fc.tuple(line, end).map(parts => parts.join('')),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(written, fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = Buffer.from(lines.join(''))
        const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        const pieces = [0, ...places].map((from, i) =>
          bytes.subarray(from, places[i] ?? bytes.length),
        )
        expect(events(...pieces)).toEqual(events(bytes))
      }),
    )
  })

  it('with one endless line costs no more than its bytes', async () => {
    const stream = new EventStream()
    const piece = Buffer.alloc(64 * 1024, 'x')
    const ms = await measureCpuMs(() => {
      for (let i = 0; i < 160; i++) expect(stream.push(piece)).toEqual([])
    })
    expect(ms).toBeLessThan(2_000)
  })
})

describe('addresses where an agent may listen', () => {
  it.each([
    ['https://a.example/mcp', ['/mcp', '/mcp/']],
    ['https://a.example', ['/', '/mcp', '/mcp/']],
    ['https://a.example/sales', ['/sales', '/sales/', '/sales/mcp', '/sales/mcp/']],
    ['https://a.example/sales/', ['/sales/', '/sales', '/sales/mcp', '/sales/mcp/']],
    [
      'https://a.example/x?tenant=1',
      ['/x?tenant=1', '/x/?tenant=1', '/x/mcp?tenant=1', '/x/mcp/?tenant=1'],
    ],
  ])('%s', (address, paths) => {
    expect(listEndpoints(address)).toEqual(paths.map(path => `https://a.example${path}`))
  })
})
