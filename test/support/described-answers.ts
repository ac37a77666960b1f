import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { buildOpenapi } from '../../api/operation/openapi.ts'
import { operations } from '../../api/routes/index.ts'

type Json = Record<string, unknown>

let compiled: Ajv2020 | undefined

/** Different answers of one operation and status that are looked at. */
const ANSWERS_EACH = 200

/**
 * Has the JSON answers of operations compared with their schemas in the OpenAPI description, with fields
 * that are not described refused at every level. `check()` throws what was found.
 */
export function watchAnswers(app: FastifyInstance): { check(): void } {
  const places = new Map(operations.map(({ id, method, path }) => [id, { method, path }]))
  const answers = new Map<string, Set<string>>()
  app.addHook('onSend', async (request, reply, payload) => {
    const { operation } = request.routeOptions.config
    if (operation === undefined || !isReadable(request.method, reply.getHeaders())) return
    const kind = `${operation} ${reply.statusCode}`
    const known = answers.get(kind) ?? new Set()
    answers.set(kind, known)
    if (known.size < ANSWERS_EACH) known.add(String(payload))
  })
  return {
    check() {
      const faults = [...answers].flatMap(([kind, payloads]) => {
        const [operation, status] = kind.split(' ') as [string, string]
        const found = [...payloads].flatMap(one => listFaults(places.get(operation)!, status, one))
        return [...new Set(found)].map(fault => `${kind}: ${fault}`)
      })
      if (faults.length === 0) return
      throw new Error(`answers are not as described:\n${faults.sort().join('\n')}`)
    },
  }
}

function isReadable(method: string, headers: Record<string, unknown>): boolean {
  const type = String(headers['content-type'] ?? '')
  return method !== 'HEAD' && /^application\/json/.test(type) && !('content-encoding' in headers)
}

function listFaults(
  { method, path }: { method: string; path: string },
  status: string,
  payload: string,
): string[] {
  const place = [path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase()]
  const pointer = ['paths', ...place, 'responses', status, 'content', 'application/json', 'schema']
    .map(part => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const isAsDescribed = compileDescription().getSchema(`api#/${pointer}`)
  if (isAsDescribed === undefined) return ['is not described']
  isAsDescribed(JSON.parse(payload))
  return withoutOtherTypes(isAsDescribed.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath.replace(/\/\d+/g, '/*')} ${message} ${JSON.stringify(params)}`,
  )
}

/** Leaves out what is wrong by the schemas of other event types than the one that an event names. */
function withoutOtherTypes(errors: readonly ErrorObject[]): ErrorObject[] {
  const others = errors.flatMap(({ keyword, schemaPath }) =>
    keyword === 'const' && schemaPath.endsWith('/event_type/const')
      ? [schemaPath.slice(0, -'/properties/event_type/const'.length)]
      : [],
  )
  return errors.filter(
    ({ keyword, schemaPath }) =>
      !others.some(other => schemaPath.startsWith(`${other}/`)) &&
      !(keyword === 'oneOf' && others.length > 0),
  )
}

function compileDescription(): Ajv2020 {
  if (compiled !== undefined) return compiled
  compiled = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(compiled)
  const description = JSON.parse(
    JSON.stringify(buildOpenapi(operations, 'https://registry.example')),
  )
  compiled.addSchema(closeObjects(description) as Json, 'api')
  return compiled
}

/** Refuses the fields that an object does not name; an object that names none is free, such as a manifest. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects)
  if (typeof node !== 'object' || node === null) return node
  const schema = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closeObjects(value)]),
  )
  const { type, properties, additionalProperties } = schema
  const isOpen = additionalProperties === undefined || isEmpty(additionalProperties)
  if (type !== 'object' || properties === undefined || isEmpty(properties) || !isOpen) return schema
  return { ...schema, additionalProperties: false }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
