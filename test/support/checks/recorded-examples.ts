import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Operation } from '../../../api/operation/operation.ts'
import type { Example, ExampleRequest } from '../../../api/reference/examples.ts'
import { NDJSON } from '../../../api/responses/ndjson.ts'
import { operations } from '../../../api/routes/index.ts'
import type { ApiRequest } from '../clients/operation-requests.ts'

const FILE = join(import.meta.dirname, '../../../data/reference/examples.json')

/** Items of a list that an example shows. */
const ITEMS_MAX = 2
const SHORT_CHARS = 3_000

const UUID = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/g

/** Operations whose lists have the order of ids that are random. */
const unordered = new Set(['listApiKeys', 'listSubscriptions'])

interface Recorder {
  record(operation: Operation, asked: ApiRequest, url: string, answer: Received): void
  /**
   * Compares requests, statuses and the members of answers with the committed file; with
   * `UPDATE_EXAMPLES=1` writes it.
   */
  check(): void
}

interface Received {
  statusCode: number
  body: string
  headers: Record<string, unknown>
}

/** Records for each operation a request that succeeds, and its answer, as the reference shows them. */
export function createRecorder(): Recorder {
  const recorded = new Map<string, Example>()
  return {
    record(operation, asked, url, answer) {
      const known = recorded.get(operation.id)
      // What makes something is a better example than what finds it made.
      const isBetter = known === undefined || answer.statusCode === 201
      if (!isBetter || answer.statusCode >= 300) return
      const type = String(answer.headers['content-type'] ?? '')
      const isJson = /^application\/json/.test(type)
      const isLines = type.startsWith(NDJSON) && answer.headers['content-encoding'] === undefined
      const example: Example = {
        request: buildRequest(operation, asked, url),
        status: answer.statusCode,
        ...(isJson && { answer: shorten(operation.id, JSON.parse(answer.body)) }),
        ...(isLines && { answer: answer.body.split(/(?<=\n)/, ITEMS_MAX).join('') }),
      }
      recorded.set(operation.id, settle(example))
    },
    check() {
      const stored = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Example>
      if (process.env.UPDATE_EXAMPLES === '1') {
        const all = operations.flatMap(({ id }) => {
          const example = recorded.get(id) ?? stored[id]
          return example === undefined ? [] : [[id, example]]
        })
        writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`)
        return
      }
      const hint = 'data/reference/examples.json is out of date: UPDATE_EXAMPLES=1 writes it'
      for (const [id, { request, status, answer }] of recorded) {
        const known = stored[id]
        expect(known, `${id}: ${hint}`).toBeDefined()
        expect({ request, status, outline: outline(answer) }, `${id}: ${hint}`).toEqual({
          request: known!.request,
          status: known!.status,
          outline: outline(known!.answer),
        })
      }
    },
  }
}

function buildRequest({ access }: Operation, asked: ApiRequest, url: string): ExampleRequest {
  const { payload, headers: allHeaders = {} } = asked
  const { authorization: _, ...headers } = allHeaders
  const isForm = /^multipart/.test(headers['content-type'] ?? '')
  const shown = Object.entries(headers).filter(([name]) => !(isForm && name === 'content-type'))
  return {
    url,
    ...(access !== 'public' && { authorized: true as const }),
    ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    ...(typeof payload === 'object' && { body: payload }),
    ...(typeof payload === 'string' && (isForm ? { file: readForm(payload) } : { text: payload })),
  }
}

/** Reads the one file of a form. */
function readForm(form: string): NonNullable<ExampleRequest['file']> {
  const [, name, type, content] =
    /filename="([^"]+)"\r\ncontent-type: (\S+)\r\n\r\n([\s\S]*?)\r\n--/.exec(form)!
  return { name: name!, type: type!, content: content! }
}

/** Cuts the lists of an answer that is long, and orders those that have no order of their own. */
function shorten(id: string, answer: unknown): unknown {
  const most = JSON.stringify(answer).length > SHORT_CHARS ? ITEMS_MAX : Number.POSITIVE_INFINITY
  return mapLists(answer, list => (unordered.has(id) ? sortByContent(list) : list).slice(0, most))
}

/**
 * Reduces an answer to its members. Values may differ: commit numbers and the order of
 * simultaneous events depend on the machine.
 */
function outline(value: unknown): unknown {
  if (Array.isArray(value)) {
    return [...new Set(value.map(item => JSON.stringify(outline(item))))].toSorted()
  }
  if (typeof value !== 'object' || value === null) return 'value'
  const members = Object.entries(value).map(([name, member]) => [name, outline(member)] as const)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

type MapList = (list: readonly unknown[]) => readonly unknown[]

function mapLists(value: unknown, map: MapList): unknown {
  if (Array.isArray(value)) return map(value).map(item => mapLists(item, map))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, mapLists(member, map)])
  return Object.fromEntries(members)
}

function sortByContent(list: readonly unknown[]): readonly unknown[] {
  const toKey = (item: unknown) => JSON.stringify(item).replace(UUID, '')
  return list.toSorted((a, b) => (toKey(a) < toKey(b) ? -1 : 1))
}

/** Replaces what is another each time: ids, secrets, times of the wall clock, durations and ports. */
function settle(example: Example): Example {
  const toId = createReplacement(n => `01939f00-0000-7000-8000-${String(n).padStart(12, '0')}`)
  const toSecret = createReplacement(n => hash('sha256', String(n), 'base64url'))
  const text = JSON.stringify(example)
    .replace(UUID, toId)
    .replace(/\bsk_[\w-]{20,}/g, 'sk_example')
    .replace(/\bsk_[\w-]{4}(?=")/g, 'sk_exam')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJ.example.token')
    .replace(/\bv1=[0-9a-f]{64}/g, 'v1=signature')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, toSecret)
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://identity.example')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!00[01]Z)\d{3}Z/g, '2026-11-20T03:00:00.000Z')
    .replace(/(_ms":)[\d.]+/g, '$140')
  return JSON.parse(text) as Example
}

/** Creates a function that gives each different text the next replacement. */
function createReplacement(build: (n: number) => string): (text: string) => string {
  const known = new Map<string, string>()
  return text => {
    const replacement = known.get(text) ?? build(known.size + 1)
    known.set(text, replacement)
    return replacement
  }
}
