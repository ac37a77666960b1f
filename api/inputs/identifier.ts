import { z } from 'zod'
import { isIdentifierHost } from '../../pipeline/core/domain.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { describeChoices } from '../../pipeline/core/validation-messages.ts'
import {
  hostTypes,
  type Identifier,
  identifierTypes,
} from '../../pipeline/model/documents/index.ts'

const known: ReadonlySet<string> = new Set(identifierTypes)
/** Types of properties that callers take for types of identifiers, and what they mean. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['website', 'domain'],
  ['site', 'domain'],
])

/** Explains that a type of identifier is none: no file can name a property by it. Undefined for one that is. */
function explainTypeFault(type: string): string | undefined {
  if (known.has(type)) return undefined
  const meant = otherNames.get(type) ?? findNearestWord(type, identifierTypes)
  const hint = meant === undefined ? '' : `. Did you mean ${JSON.stringify(meant)}?`
  return `${describeChoices(identifierTypes)}${hint}`
}

/** Explains that no file can name a property by this value. Undefined for a value that one can. */
function explainValueFault({ type, value }: Identifier): string | undefined {
  if (value.trim() === '') return 'must not be empty'
  if (!hostTypes.has(type) || isIdentifierHost(value)) return undefined
  return 'must be a domain name such as acme.example'
}

/**
 * Explains what is wrong with an identifier, beginning with the field by its name. Undefined for one that a file
 * can declare.
 */
export function explainIdentifierFault(
  identifier: Identifier,
  fields = { type: 'type', value: 'value' },
): string | undefined {
  const typeFault = explainTypeFault(identifier.type)
  if (typeFault !== undefined) return `${fields.type}: ${typeFault}`
  const valueFault = explainValueFault(identifier)
  return valueFault && `${fields.value}: ${valueFault}`
}

/**
 * Creates the check of a type and a value in the parameters of these names; a value that names nothing is no
 * answer about a property.
 */
export function checkValue<Type extends string, Value extends string>(
  typeName: Type,
  valueName: Value,
) {
  return (asked: Record<Type | Value, string>, ctx: z.RefinementCtx) => {
    const message = explainValueFault({ type: asked[typeName], value: asked[valueName] })
    // A value that breaks the rule of its field gets only that message.
    const isReported = ctx.issues.some(({ path }) => path?.[0] === valueName)
    if (message !== undefined && !isReported)
      ctx.addIssue({ code: 'custom', path: [valueName], message })
  }
}

/** The types of identifiers, for the description of a field that is checked later. */
export const listedTypes = { enum: [...identifierTypes] }

/** A type of identifier; a typo is no answer about the property. */
export const IdentifierType = z
  .string()
  .max(100)
  .superRefine((type, ctx) => {
    const message = explainTypeFault(type)
    if (message === undefined) return
    ctx.addIssue({ code: 'custom', message, params: { valid_values: [...identifierTypes] } })
  })
  .meta({
    ...listedTypes,
    description:
      'Type of identifier, such as `domain`; some publishers list a host as a `subdomain`',
  })
