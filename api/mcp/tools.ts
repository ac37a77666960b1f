import { z } from 'zod'
import { type Json, schemaOf } from '../json-schema.ts'
import { type Operation, pathParameters } from '../operation.ts'

/** A read of the registry as a tool: `resolve_brand` is the operation `resolveBrand`. */
export interface RegistryTool {
  name: string
  operation: Operation
  inputSchema: Json & { type: 'object' }
}

/** The operations that read and answer with JSON; a tool needs neither streams nor files. */
export function toolsOf(operations: readonly Operation[]): Map<string, RegistryTool> {
  const tools = operations
    .filter(({ group, writes, reply }) => group && !writes && reply[200] instanceof z.ZodType)
    .map(toolOf)
  return new Map(tools.map(tool => [tool.name, tool]))
}

function toolOf(operation: Operation): RegistryTool {
  const name = operation.id.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return { name, operation, inputSchema: inputSchemaOf(operation) }
}

/** One object for what HTTP takes from the path, the query and the body. */
function inputSchemaOf({ params, query, body }: Operation): RegistryTool['inputSchema'] {
  const $defs: Json = {}
  const parts = [params, query, body]
    .filter(part => part !== undefined)
    .map(part => schemaOf(part, 'input', $defs, '#/$defs/'))
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(part => part.properties)),
    required: parts.flatMap(part => part.required ?? []),
    ...(Object.keys($defs).length > 0 && { $defs }),
  }
}

export interface ToolRequest {
  method: Operation['method']
  url: string
  payload?: object
}

/** The HTTP request that a call of a tool stands for. */
export function requestOf(
  tool: RegistryTool,
  given: Readonly<Record<string, unknown>>,
): ToolRequest {
  const { method, path, body } = tool.operation
  const inPath = pathParameters(path)
  const url = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(textOf(given[name])))
  const rest = Object.entries(given).filter(([name]) => !inPath.includes(name))
  if (body !== undefined) return { method, url, payload: Object.fromEntries(rest) }
  const query = new URLSearchParams(
    rest.flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, textOf(one)]),
    ),
  )
  return { method, url: query.size > 0 ? `${url}?${query}` : url }
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
}
