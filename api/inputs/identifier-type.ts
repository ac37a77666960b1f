import { z } from 'zod'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { identifierTypes } from '../../pipeline/model/documents/index.ts'

const known: ReadonlySet<string> = new Set(identifierTypes)
/** Types of properties that callers take for types of identifiers, and what they mean. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['website', 'domain'],
  ['site', 'domain'],
])

/** Explains that a type of identifier is none: no file can name a property by it. Undefined for one that is. */
export function explainTypeFault(type: string): string | undefined {
  if (known.has(type)) return undefined
  const meant = otherNames.get(type) ?? findNearestWord(type, identifierTypes)
  const hint = meant === undefined ? '' : `. Did you mean ${JSON.stringify(meant)}?`
  return `must be one of ${identifierTypes.join(', ')}${hint}`
}

/** A type of identifier; a typo is no answer about the property. */
export const IdentifierType = z
  .string()
  .min(1)
  .max(100)
  .superRefine((type, ctx) => {
    const message = explainTypeFault(type)
    if (message === undefined) return
    ctx.addIssue({ code: 'custom', message, params: { valid_values: [...identifierTypes] } })
  })
  .meta({ enum: [...identifierTypes], description: 'Kind of identifier, such as `domain`' })
