import { brotliDecompressSync, constants, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { KNOWN_VALUES } from '../../../api/operation/json-schema.ts'
import { buildOpenapi } from '../../../api/operation/openapi.ts'
import { ITEM_SCHEMA } from '../../../api/operation/openapi-content.ts'
import type { Operation } from '../../../api/operation/operation.ts'
import { operations } from '../../../api/routes/index.ts'
import { parseFrame } from '../clients/event-stream.ts'

type Json = Record<string, unknown>

let compiled: Ajv2020 | undefined

const LATER_EVENT = '#/components/schemas/Event_other'

/** Different answers of one operation and status that are looked at. */
const ANSWERS_EACH = 200

/** Bytes of one stream that are looked at. */
const STREAM_BYTES = 4_000_000

interface Place {
  method: string
  path: string
  reply: Operation['reply']
}

/**
 * Has the JSON answers of operations, and the lines and events of those that stream, compared with their
 * schemas in the OpenAPI description, with fields that are not described refused at every level.
 * `check()` throws what was found.
 */
export function watchAnswers(app: FastifyInstance): { check(): void } {
  const places = new Map<string, Place>(operations.map(operation => [operation.id, operation]))
  const answers = new Map<string, Set<string>>()
  const streams: (CapturedReply & { operation: string })[] = []
  app.addHook('onRequest', async (request, reply) => {
    const { operation } = request.routeOptions.config
    if (operation === undefined || request.method === 'HEAD') return
    if (findItem(places.get(operation)) === undefined) return
    streams.push({ operation, ...captureReply(reply) })
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const { operation } = request.routeOptions.config
    if (operation === undefined || !places.has(operation)) return
    if (!isReadable(request.method, reply.getHeaders())) return
    const kind = `${operation} ${reply.statusCode}`
    const known = answers.get(kind) ?? new Set()
    answers.set(kind, known)
    if (known.size < ANSWERS_EACH) known.add(decode(payload, reply.getHeader('content-encoding')))
  })
  return {
    check() {
      const faults = [...answers].flatMap(([kind, payloads]) => {
        const [operation, status] = kind.split(' ') as [string, string]
        const found = [...payloads].flatMap(payload =>
          listFaults(places.get(operation)!, status, 'application/json', JSON.parse(payload)),
        )
        return [...new Set(found)].map(fault => `${kind}: ${fault}`)
      })
      const streamed = streams.flatMap(({ operation, type, items }) => {
        const place = places.get(operation)!
        const found = items().flatMap(item => listFaults(place, '200', type(), item))
        return found.map(fault => `${operation}, an item: ${fault}`)
      })
      const all = [...faults, ...new Set(streamed)]
      if (all.length === 0) return
      throw new Error(`answers are not as described:\n${all.sort().join('\n')}`)
    },
  }
}

function findItem(place: Place | undefined): unknown {
  const body = place?.reply[200]
  return body && 'item' in body ? body.item : undefined
}

function isReadable(method: string, headers: Record<string, unknown>): boolean {
  return method !== 'HEAD' && /^application\/json/.test(String(headers['content-type'] ?? ''))
}

function decode(payload: unknown, encoding: unknown): string {
  if (encoding === 'gzip') return gunzipSync(payload as Buffer).toString()
  if (encoding === 'br') return brotliDecompressSync(payload as Buffer).toString()
  if (encoding === 'zstd') return zstdDecompressSync(payload as Buffer).toString()
  return String(payload)
}

interface CapturedReply {
  type(): string
  items(): unknown[]
}

/** Listens to what is written to a connection, and takes it apart as a client would. */
function captureReply(reply: FastifyReply): CapturedReply {
  const response = reply.raw
  const chunks: Buffer[] = []
  let bytes = 0
  const listen = (chunk: unknown) => {
    if (bytes > STREAM_BYTES || !(Buffer.isBuffer(chunk) || typeof chunk === 'string')) return
    chunks.push(Buffer.from(chunk as Buffer))
    bytes += chunk.length
  }
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...given: unknown[]) => never
    response[name] = (...given: unknown[]) => {
      listen(given[0])
      return send(...given)
    }
  }
  const type = () => String(reply.getHeader('content-type')).split(';')[0]!
  return {
    type,
    items() {
      const written = Buffer.concat(chunks)
      if (type() === 'text/event-stream') return readFrames(written.toString())
      if (type() !== 'application/x-ndjson') return []
      const isZipped = reply.getHeader('content-encoding') === 'gzip'
      return readLines(isZipped ? readZipped(written) : written.toString())
    },
  }
}

function readZipped(written: Buffer): string {
  return gunzipSync(written, { finishFlush: constants.Z_SYNC_FLUSH }).toString()
}

/** Reads the lines that came whole: a stream may have broken off. */
function readLines(text: string): unknown[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

function readFrames(text: string): unknown[] {
  return text.split('\n\n').slice(0, -1).map(parseFrame)
}

function listFaults(
  { method, path }: Place,
  status: string,
  type: string,
  answer: unknown,
): string[] {
  const place = [path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase()]
  const schema = type === 'application/json' ? 'schema' : ITEM_SCHEMA
  const pointer = ['paths', ...place, 'responses', status, 'content', type, schema]
    .map(part => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const isAsDescribed = compileDescription().getSchema(`api#/${pointer}`)
  if (isAsDescribed === undefined) return [`is not described: ${JSON.stringify(answer)}`]
  isAsDescribed(answer)
  return excludeOtherTypes(isAsDescribed.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath.replace(/\/\d+/g, '/*')} ${message} ${JSON.stringify(params)}`,
  )
}

/** Leaves out what is wrong by the schemas of other event types than the one that an event names. */
function excludeOtherTypes(errors: readonly ErrorObject[]): ErrorObject[] {
  const others = errors.flatMap(({ keyword, schemaPath }) =>
    keyword === 'const' && schemaPath.endsWith('/event_type/const')
      ? [schemaPath.slice(0, -'/properties/event_type/const'.length)]
      : [],
  )
  return errors.filter(
    ({ keyword, schemaPath }) =>
      !others.some(other => schemaPath.startsWith(`${other}/`)) &&
      !(keyword === 'anyOf' && others.length > 0),
  )
}

function compileDescription(): Ajv2020 {
  if (compiled !== undefined) return compiled
  // The usual optimizations take most of the time, and each schema here checks few answers.
  const quick = { inlineRefs: false, code: { optimize: false } }
  compiled = new Ajv2020({ strict: false, allErrors: true, ...quick })
  addFormats.default(compiled)
  const description = JSON.parse(
    JSON.stringify(buildOpenapi(operations, 'https://registry.example')),
  )
  compiled.addSchema(close(description) as Json, 'api')
  return compiled
}

/**
 * Refuses what a description leaves open for later versions: fields that an object does not name, values that a list
 * does not have, and other types of events. An object that names no fields is free, such as a manifest.
 */
function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.filter(part => part?.$ref !== LATER_EVENT).map(close)
  if (typeof node !== 'object' || node === null) return node
  const { [KNOWN_VALUES]: values, ...schema } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, close(value)]),
  )
  if (values !== undefined) return { ...schema, enum: values }
  const { type, properties, additionalProperties } = schema
  const isOpen = additionalProperties === undefined || isEmpty(additionalProperties)
  if (type !== 'object' || properties === undefined || isEmpty(properties) || !isOpen) return schema
  return { ...schema, additionalProperties: false }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
