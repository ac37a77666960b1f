import type { z } from 'zod'

export interface Setting<Schema extends z.ZodType> {
  schema: Schema
  /** Meaning, for documents and messages. */
  means: string
  /** Default value, as documents show it. */
  shown: string
  /** True for a value that logs must not show. */
  secret: boolean
}

/** Defines a setting: a line of the table in `config.ts`. */
export function defineSetting<Schema extends z.ZodType>(
  schema: Schema,
  means: string,
  { shown = '', secret = false } = {},
): Setting<Schema> {
  return { schema, means, shown, secret }
}
