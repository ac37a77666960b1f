import { z } from 'zod'
import { pageEnd } from '../../pipeline/model/shared-fields.ts'
import { type Json, toJsonSchema } from '../operation/json-schema.ts'
import { listPathParameters, type Operation } from '../operation/operation.ts'

/** An operation that reads, as a tool: `resolve_brand` is the operation `resolveBrand`. */
export interface RegistryTool {
  name: string
  operation: Operation
  inputSchema: Json & { type: 'object' }
  outputSchema: Json & { type: 'object' }
}

/** Operations whose answers another one contains too: one tool is enough. */
const repeating: ReadonlySet<string> = new Set([
  'listAgentPublishersAlias',
  'listBrandRevisions',
  'listPropertyRevisions',
])

/** Builds tools from the operations that read and answer with JSON; a tool needs neither streams nor files. */
export function buildTools(operations: readonly Operation[]): Map<string, RegistryTool> {
  const tools = operations
    .filter(({ group, writes, reply }) => group && !writes && reply[200] instanceof z.ZodType)
    .filter(({ id }) => !repeating.has(id))
    .map(buildTool)
  return new Map(tools.map(tool => [tool.name, tool]))
}

function buildTool(operation: Operation): RegistryTool {
  const name = operation.id.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  const outputSchema = buildOutputSchema(operation.reply[200] as z.ZodType)
  return { name, operation, inputSchema: buildInputSchema(operation), outputSchema }
}

/**
 * Builds a schema of the required members and their types, one level deep: a model reads the answer itself,
 * and every request carries the list of tools. The OpenAPI description is complete.
 */
function buildOutputSchema(reply: z.ZodType): RegistryTool['outputSchema'] {
  const $defs: Json = {}
  const { properties = {}, required = [] } = resolveReference(
    toJsonSchema(reply, 'output', $defs, PLACE),
    $defs,
  )
  const members = properties as Record<string, Json>
  const named = (required as string[]).filter(name => !(name in pageEnd))
  const kinds = named.flatMap(name => {
    const { type } = resolveReference(members[name] ?? {}, $defs)
    return type === undefined ? [] : [[name, { type }]]
  })
  return { type: 'object', properties: Object.fromEntries(kinds), required: named }
}

/** Drops generous limits and patterns, which are long and say little; the route reports violations. */
function shorten(properties: Json): Json {
  const dull = ['pattern', 'minLength', 'maxLength', 'minItems']
  const text = JSON.stringify(omitUsual(properties), (key, value) => {
    if (dull.includes(key) && typeof value !== 'object') return undefined
    if (JSON.stringify(value?.anyOf) === STRING_OR_STRINGS) {
      const { anyOf: _, ...rest } = value
      return 'type' in rest ? rest : { type: 'array', items: { type: 'string' }, ...rest }
    }
    const isPlain =
      (key === 'minimum' && value <= 1) ||
      (key === 'maximum' && value > NUMBER_SHOWN_MAX) ||
      (key === 'default' && value === '')
    if (isPlain) return undefined
    if (!Array.isArray(value?.enum)) return value
    // The description shows that it is a text.
    const { type: _, ...rest } = value
    return rest
  })
  return JSON.parse(text)
}

/** Self-explanatory arguments, the same on every tool: their descriptions would be a third of the list. */
const usual: ReadonlySet<string> = new Set([
  'domain',
  'agent_url',
  'limit',
  'offset',
  'cursor',
  'fresh',
  'country',
  'placement_ids',
  'placement_tags',
  'collection_ids',
  'delegation_type',
  'identifier_type',
  'identifier_value',
])

function omitUsual(properties: Json): Json {
  const listed = Object.entries(properties as Record<string, Json>)
    .filter(([, { deprecated }]) => deprecated !== true)
    .map(([name, { description, examples, ...schema }]) => [
      name,
      usual.has(name) || name.endsWith('_cursor') ? schema : { ...schema, description, examples },
    ])
  return Object.fromEntries(listed)
}

/** Bounds of numbers beyond this are left out of a tool’s schema. */
const NUMBER_SHOWN_MAX = 1e6
/** A parameter that may be repeated: a list, or a text with commas. */
const STRING_OR_STRINGS = '[{"type":"string"},{"type":"array","items":{"type":"string"}}]'
const PLACE = '#/$defs/'

/** Resolves a reference to the schema that it names. */
function resolveReference(schema: Json, $defs: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith(PLACE)) return schema
  return ($defs[$ref.slice(PLACE.length)] ?? schema) as Json
}

/** Builds one object for the parameters that HTTP takes from the path, the query and the body. */
function buildInputSchema({ params, query, body }: Operation): RegistryTool['inputSchema'] {
  const $defs: Json = {}
  const parts = [params, query, body]
    .filter(part => part !== undefined)
    .map(part => resolveReference(toJsonSchema(part, 'input', $defs, PLACE), $defs))
  const properties = shorten(Object.assign({}, ...parts.map(part => part.properties)))
  return {
    type: 'object',
    properties,
    required: parts.flatMap(part => part.required ?? []),
    ...(JSON.stringify(properties).includes(PLACE) && { $defs }),
  }
}

export interface ToolRequest {
  method: Operation['method']
  url: string
  payload?: object
}

/**
 * Builds the HTTP request of a tool call, or returns why it is invalid. Path parameters must not change the
 * path, or another route would answer.
 */
export function buildRequest(
  tool: RegistryTool,
  input: Readonly<Record<string, unknown>>,
): ToolRequest | string {
  const { method, path, body } = tool.operation
  const inPath = listPathParameters(path)
  for (const name of inPath) {
    const value = input[name]
    if (value === undefined || value === null) return `${name}: is required`
    if (/^\s*$/.test(toText(value))) return `${name}: must not be empty`
    if (/^\.\.?$/.test(toText(value))) return `${name}: must be a name`
  }
  const url = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(toText(input[name])))
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name))
  if (body !== undefined) return { method, url, payload: Object.fromEntries(rest) }
  const query = new URLSearchParams(
    rest.flatMap(([name, value]) =>
      [value].flat().map((member): [string, string] => [name, toText(member)]),
    ),
  )
  return { method, url: query.size > 0 ? `${url}?${query}` : url }
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
}
