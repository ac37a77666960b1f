import { z } from 'zod'

export type Json = Record<string, unknown>

/** The JSON Schema of a model; models in it with an id become components, referred to below `place`. */
export function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Json,
  place = '#/components/schemas/',
): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: keepSaid,
  })
  const [body, defs] = JSON.parse(
    JSON.stringify([rest, $defs]).replaceAll('"#/$defs/', `"${place}`),
  ) as [Json, Record<string, Json>]
  for (const [name, { id: __, ...component }] of Object.entries(defs)) components[name] = component
  return body
}

/** The same for a place that may refer to it: a model with an id is only named. */
export function referenceTo(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const { id, ...whole } = schemaOf(schema, io, components)
  if (typeof id !== 'string') return whole
  components[id] = whole
  return { $ref: `#/components/schemas/${id}` }
}

/** What was said of an input that is transformed is dropped unless it is said again. */
function keepSaid({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }) {
  const { default: usual, examples } = z.globalRegistry.get(zodSchema as z.ZodType) ?? {}
  if (usual !== undefined) jsonSchema.default = usual
  if (examples !== undefined) jsonSchema.examples = examples
}
