import { z } from 'zod'
import { getAt, getFirst } from '../../pipeline/core/present.ts'

export type Json = Record<string, unknown>

type Overridden = { zodSchema: z.core.$ZodType; jsonSchema: Json }

/**
 * Converts a model to JSON Schema; models in it with an id are added to `components`, and references to them
 * begin with `referencePrefix`.
 */
export function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Json,
  referencePrefix = '#/components/schemas/',
): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: found => {
      copyMetadata(found)
      if (io === 'output') {
        openObject(found)
        openList(found)
      }
    },
  })
  const [body, defs] = JSON.parse(
    JSON.stringify([rest, $defs]).replaceAll('"#/$defs/', `"${referencePrefix}`),
  ) as [Json, Record<string, Json>]
  for (const [name, { id: __, ...component }] of Object.entries(defs)) components[name] = component
  return body
}

/** References by the components that they lead to, so that a model of a hundred answers is converted once. */
const references = new WeakMap<Json, Map<z.ZodType, Json>>()

/** Converts a model to JSON Schema; one with an id becomes a component itself, and a reference is returned. */
export function toReference(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const known = references.get(components) ?? new Map<z.ZodType, Json>()
  references.set(components, known)
  const reference = known.get(schema)
  if (reference !== undefined) return reference
  const converted = convertToReference(schema, io, components)
  if ('$ref' in converted) known.set(schema, converted)
  return converted
}

function convertToReference(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const { id, ...definition } = toJsonSchema(schema, io, components)
  if (typeof id !== 'string') return definition
  components[id] = definition
  return { $ref: `#/components/schemas/${id}` }
}

/** Allows an answer fields that are added later, and that clients must ignore: the converter closes all objects of an output. */
function openObject({ zodSchema, jsonSchema }: Overridden): void {
  const { def } = zodSchema._zod
  if (def.type === 'object' && !('catchall' in def && def.catchall !== undefined))
    delete jsonSchema.additionalProperties
}

/** Keyword of an answer's list of values: those of this version, to which later ones may add. */
export const KNOWN_VALUES = 'x-extensible-enum'

/** Allows an answer values that are added later: the converter closes all lists. */
function openList({ zodSchema, jsonSchema }: Overridden): void {
  if (zodSchema._zod.def.type !== 'enum') return
  jsonSchema[KNOWN_VALUES] = jsonSchema.enum
  delete jsonSchema.enum
}

/** Copies the default and the examples of a transformed input, which the converter drops. */
function copyMetadata({ zodSchema, jsonSchema }: Overridden): void {
  const { default: defaultValue, examples } = z.globalRegistry.get(zodSchema as z.ZodType) ?? {}
  if (defaultValue !== undefined) jsonSchema.default = defaultValue
  if (examples !== undefined) jsonSchema.examples = examples
  raiseDescription(jsonSchema)
}

/** Moves a description out of a union with null, so that the field itself has it. */
function raiseDescription(jsonSchema: Json): void {
  const parts = jsonSchema.anyOf as Json[] | undefined
  if (parts?.length !== 2 || getAt(parts, 1).type !== 'null' || jsonSchema.description) return
  const { description, ...rest } = getFirst(parts)
  if (description === undefined) return
  jsonSchema.anyOf = [rest, parts[1]]
  jsonSchema.description = description
}
