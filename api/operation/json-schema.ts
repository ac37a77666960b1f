import { z } from 'zod'

export type Json = Record<string, unknown>

/** Converts a model to JSON Schema; models in it with an id become components, referred to below `place`. */
export function toJsonSchema(
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

/** Builds a schema that may refer to components: a model with an id is only referenced. */
export function toReference(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const { id, ...whole } = toJsonSchema(schema, io, components)
  if (typeof id !== 'string') return whole
  components[id] = whole
  return { $ref: `#/components/schemas/${id}` }
}

/** Repeats the description of a transformed input, which the converter drops. */
function keepSaid({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }) {
  const { default: usual, examples } = z.globalRegistry.get(zodSchema as z.ZodType) ?? {}
  if (usual !== undefined) jsonSchema.default = usual
  if (examples !== undefined) jsonSchema.examples = examples
  raiseDescription(jsonSchema)
}

/** Moves a description out of a union with null, so that the field itself has it. */
function raiseDescription(jsonSchema: Json): void {
  const parts = jsonSchema.anyOf as Json[] | undefined
  if (parts?.length !== 2 || parts[1]!.type !== 'null' || jsonSchema.description) return
  const { description, ...rest } = parts[0]!
  if (description === undefined) return
  jsonSchema.anyOf = [rest, parts[1]]
  jsonSchema.description = description
}
