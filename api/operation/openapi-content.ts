import { z } from 'zod'
import { getFirst } from '../../pipeline/core/present.ts'
import { type Json, toReference } from './json-schema.ts'
import type { Content } from './openapi-document.ts'
import type { Operation, ReplyBody } from './operation.ts'

/** Describes each item of a stream: `itemSchema` of OpenAPI 3.2, for which 3.1 has no keyword. */
export const ITEM_SCHEMA = 'x-item-schema'

/** Describes the body of a request, in each media type that it may have. */
export function buildRequestContent(
  { bodyTypes = ['application/json'] }: Operation,
  schema: Json,
  example: unknown,
): Record<string, Content> {
  return Object.fromEntries(
    bodyTypes.map(type => [
      type,
      type.startsWith('text/')
        ? { schema: { type: 'string' } }
        : { schema, ...(example !== undefined && { example }) },
    ]),
  )
}

/** Describes the body of a response. */
export function buildResponseContent(
  body: NonNullable<ReplyBody>,
  components: Json,
  example?: unknown,
): Record<string, Content> {
  if (body instanceof z.ZodType) {
    const schema = toReference(body, 'output', components)
    return { 'application/json': { schema, ...(example !== undefined && { example }) } }
  }
  const content = {
    schema: { type: isJsonType(body.type) ? 'object' : 'string' },
    ...(body.item && { [ITEM_SCHEMA]: toReference(body.item, 'output', components) }),
  }
  const types = [body.type].flat().map(type => getFirst(type.split(';')))
  return Object.fromEntries(
    types.map((type, index) => [
      type,
      // An example is of the type that callers get who name none.
      { ...content, ...(index === 0 && example !== undefined && { example }) },
    ]),
  )
}

/** Tells whether a media type is one of JSON documents by its suffix. */
function isJsonType(types: string | readonly string[]): boolean {
  return [types].flat().every(type => /^[^;]+\+json(?:;|$)/.test(type))
}
