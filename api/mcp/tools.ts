import { z } from 'zod'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { pageEnd } from '../../pipeline/model/shared-fields.ts'
import { type Json, toJsonSchema } from '../operation/json-schema.ts'
import { listPathParameters, type Operation } from '../operation/operation.ts'
import { decodeValue } from './resources.ts'

/** An operation as a tool: `resolve_brand` is the operation `resolveBrand`. */
export interface RegistryTool {
  name: string
  operation: Operation
  inputSchema: Json & { type: 'object' }
  outputSchema: Json & { type: 'object' }
}

/** Detail of the schemas of a tool: `brief` in the list that a client gets unless it names toolsets. */
export type ToolForm = 'complete' | 'brief'

/** Operations that are left out because another tool gives the same answers. */
const redundant: ReadonlySet<string> = new Set([
  'listAgentPublishersAlias',
  'listBrandRevisions',
  'listPropertyRevisions',
])

/** Writes that are tools too: an agent may do them without harm, since each is bounded and can be undone. */
const writing: ReadonlySet<string> = new Set([
  'requestCrawl',
  'saveBrand',
  'saveProperty',
  'createWatch',
])

/**
 * Builds tools from the operations that read and answer with JSON, and from a few that write; a tool needs neither streams
 * nor files.
 */
export function buildTools(
  operations: readonly Operation[],
  form: ToolForm = 'complete',
): Map<string, RegistryTool> {
  return new Map(
    operations
      .filter(isTool)
      .map(operation => buildTool(operation, form))
      .map(tool => [tool.name, tool]),
  )
}

/** Tells whether an operation is a tool too. */
export function isTool(operation: Operation): boolean {
  const { id, group, writes } = operation
  if (group === undefined || (writes && !writing.has(id)) || redundant.has(id)) return false
  return findAnswer(operation) !== undefined
}

/** Converts the name of an operation to that of its tool. */
export function toToolName(id: string): string {
  return id.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/** Finds the JSON that an operation answers with when it succeeds. */
function findAnswer({ reply }: Operation): z.ZodType | undefined {
  const answer = reply[200] ?? reply[201] ?? reply[202]
  return answer instanceof z.ZodType ? answer : undefined
}

function buildTool(operation: Operation, form: ToolForm): RegistryTool {
  const name = toToolName(operation.id)
  const answer = requireValue(findAnswer(operation), 'answer of a tool')
  const outputSchema = buildOutputSchema(answer, form)
  return { name, operation, inputSchema: buildInputSchema(operation), outputSchema }
}

/**
 * Builds a schema of the members of an answer and their types, one level deep: the OpenAPI description is complete. The
 * brief form names only what not every answer has, such as `needs`: a model sees the rest, and carries the list of
 * tools with every request.
 */
function buildOutputSchema(reply: z.ZodType, form: ToolForm): RegistryTool['outputSchema'] {
  const $defs: Json = {}
  const { properties = {}, required = [] } = resolveReference(
    toJsonSchema(reply, 'output', $defs, REFERENCE_PREFIX),
    $defs,
  )
  const members = properties as Record<string, Json>
  const requiredNames = (required as string[]).filter(name => !(name in pageEnd))
  const names = Object.keys(members).filter(name => !(name in pageEnd) && !LIST_PART.test(name))
  if (form === 'brief') {
    const optional = names.filter(name => !requiredNames.includes(name) && name !== 'freshness')
    const properties = Object.fromEntries(optional.map(name => [name, {}]))
    return { type: 'object', ...(optional.length > 0 && { properties }) }
  }
  const types = names.map(name => {
    const { type } = resolveReference(members[name] ?? {}, $defs)
    return [name, type === undefined ? {} : { type }]
  })
  return { type: 'object', properties: Object.fromEntries(types), required: requiredNames }
}

/** Members that describe how a list is cut. */
const LIST_PART = /_(?:total|truncated|next_cursor)$/

/** Shortens the schemas of parameters: drops generous limits and patterns, whose violations the route reports. */
function shorten(properties: Json): Json {
  const droppedKeywords = ['pattern', 'minLength', 'maxLength', 'minItems']
  const text = JSON.stringify(dropDeprecated(properties), (key, value) => {
    if (droppedKeywords.includes(key) && typeof value !== 'object') return undefined
    if (key === 'propertyNames' || isAnything(key, value)) return undefined
    if (JSON.stringify(value?.anyOf) === STRING_OR_STRINGS) {
      const { anyOf: _, examples: __, description = '', ...rest } = value
      const shown = description.replace(COMMAS, '').replace(LINK, '$1')
      return { type: 'array', items: { type: 'string' }, description: shown, ...rest }
    }
    const isUninformative =
      (key === 'minimum' && value <= 1) ||
      (key === 'maximum' && value > BOUND_SHOWN_MAX) ||
      (key === 'default' && (value === '' || value === 'false'))
    if (isUninformative) return undefined
    if (!Array.isArray(value?.enum)) return value
    if (value.enum.length > VALUES_SHOWN_MAX) {
      const { enum: values, ...rest } = value
      return { ...rest, examples: values.slice(0, 2) }
    }
    // The allowed values show that it is a text.
    const { type: _, ...rest } = value
    return rest
  })
  return JSON.parse(text)
}

/** Items of a page unless a call names a `limit`: a model reads them all, while programs want long pages. */
const PAGE_ITEMS = 50

function limitPage(properties: Json): Json {
  const limit = properties.limit as Json | undefined
  if (limit === undefined || !(Number(limit.default) > PAGE_ITEMS)) return properties
  return { ...properties, limit: { ...limit, default: PAGE_ITEMS } }
}

/** Drops deprecated parameters. */
function dropDeprecated(properties: Json): Json {
  const listed = Object.entries(properties as Record<string, Json>)
  return Object.fromEntries(listed.filter(([, { deprecated }]) => deprecated !== true))
}

/** Path parameters that are the address of an agent: tools call it as the others do, and take these names too. */
const agentParameters: readonly string[] = ['encodedUrl', 'agentUrl']
const AGENT_ARGUMENT = 'agent_url'
const AGENT_DESCRIPTION = 'URL of the agent, such as https://agent.example/mcp'

/** Converts the name of a parameter to that of the argument of a tool. */
function toArgumentName(name: string): string {
  return agentParameters.includes(name) ? AGENT_ARGUMENT : name
}

/** Describes the parameters of a path as arguments, which need no encoding. */
function toArguments({ properties, required }: Json): Json {
  const members = Object.entries((properties ?? {}) as Record<string, Json>)
  const described = members.map(([name, schema]) =>
    agentParameters.includes(name)
      ? [AGENT_ARGUMENT, { ...schema, description: AGENT_DESCRIPTION }]
      : [name, schema],
  )
  return {
    properties: Object.fromEntries(described),
    required: ((required ?? []) as string[]).map(toArgumentName),
  }
}

/** Tells whether a keyword lets an object have any other members, which it may by default. */
function isAnything(key: string, value: unknown): boolean {
  return key === 'additionalProperties' && JSON.stringify(value) === '{}'
}

/** Longer lists of values are shortened to two examples: a refusal names them all. */
const VALUES_SHOWN_MAX = 12
/** Larger bounds of numbers are left out of a tool’s schema. */
const BOUND_SHOWN_MAX = 1e6
/** A parameter that may be repeated: a list, or a text with commas. */
const STRING_OR_STRINGS = '[{"type":"string"},{"type":"array","items":{"type":"string"}}]'
/** Separators of a list in an address, as its description names them; a tool takes an array. */
const COMMAS = /[;,] (?:separate several with|separated by) commas/
const LINK = /\[([^\]]+)\]\([^)]+\)/g
const REFERENCE_PREFIX = '#/$defs/'

/** Resolves a reference to the schema that it names. */
function resolveReference(schema: Json, $defs: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith(REFERENCE_PREFIX)) return schema
  return ($defs[$ref.slice(REFERENCE_PREFIX.length)] ?? schema) as Json
}

/** Builds one object for the parameters that HTTP takes from the path, the query and the body. */
function buildInputSchema({ params, query, body }: Operation): RegistryTool['inputSchema'] {
  const $defs: Json = {}
  const parts = [params, query, body]
    .filter(part => part !== undefined)
    .map(part => resolveReference(toJsonSchema(part, 'input', $defs, REFERENCE_PREFIX), $defs))
    .map(toArguments)
  const properties = limitPage(shorten(Object.assign({}, ...parts.map(part => part.properties))))
  return {
    type: 'object',
    properties,
    required: parts.flatMap(part => part.required as string[]),
    ...(JSON.stringify(properties).includes(REFERENCE_PREFIX) && { $defs }),
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
  given: Readonly<Record<string, unknown>>,
): ToolRequest | string {
  const { method, path, body } = tool.operation
  const pathNames = listPathParameters(path)
  const { limit } = tool.inputSchema.properties as { limit?: Json }
  const page = limit?.default === PAGE_ITEMS ? { limit: PAGE_ITEMS } : {}
  const input: Record<string, unknown> = { ...page, ...toParameters(given, pathNames) }
  for (const name of pathNames) {
    const value = input[name]
    const argument = toArgumentName(name)
    if (value === undefined || value === null) return explainAbsent(argument, Object.keys(given))
    if (/^\s*$/.test(toText(value))) return `${argument}: must not be empty`
    if (/^\.\.?$/.test(toText(value))) return `${argument}: must be a name`
  }
  const url = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(toText(input[name])))
  const rest = Object.entries(input).filter(([name]) => !pathNames.includes(name))
  const isInBody = ([name]: [string, unknown]) =>
    body !== undefined && (!hasMember(tool.operation.query, name) || hasMember(body, name))
  const query = new URLSearchParams(
    rest
      .filter(pair => !isInBody(pair))
      .flatMap(([name, value]) =>
        [value].flat().map((member): [string, string] => [name, toText(member)]),
      ),
  )
  const payload = body && { payload: Object.fromEntries(rest.filter(isInBody)) }
  return { method, url: query.size > 0 ? `${url}?${query}` : url, ...payload }
}

/** Converts arguments to the parameters of a path: an address may be given as it is in a path, percent-encoded. */
function toParameters(
  given: Readonly<Record<string, unknown>>,
  pathNames: readonly string[],
): Readonly<Record<string, unknown>> {
  const name = pathNames.find(name => agentParameters.includes(name))
  if (name === undefined) return given
  const { [AGENT_ARGUMENT]: address = given[name], ...rest } = given
  const decoded = /^https?%3a/i.test(toText(address)) ? decodeValue(toText(address)) : undefined
  return { ...rest, [name]: decoded ?? address }
}

/** Names the argument of a tool in a refusal of its route, as the tool does. */
export function nameArguments(refusal: string): string {
  return refusal.replace(/(?<="error":"`)\w+(?=`)/, toArgumentName)
}

/** Explains that an argument is missing, by the one that was most likely meant for it. */
function explainAbsent(name: string, given: readonly string[]): string {
  const misspelled = findNearestWord(
    name,
    given.filter(other => other !== name),
  )
  return misspelled === undefined
    ? `${name}: is required`
    : `Unknown parameter \`${misspelled}\`. Did you mean \`${name}\`?`
}

function hasMember(schema: z.ZodType | undefined, name: string): boolean {
  return schema instanceof z.ZodObject && name in schema.shape
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
}
