import { z } from 'zod'

const signalTypes: ReadonlySet<string> = new Set(['signal_ids', 'signal_tags'])

/** Tells whether a selector of this type selects signals, so that its grant reaches no property. */
export function isOfSignals(authorizationType: string | undefined): boolean {
  return authorizationType !== undefined && signalTypes.has(authorizationType)
}

/** Holds what an agent's grants in force at one publisher are of, as every list of grants tells it. */
export interface GrantScope {
  authorization_types: string[]
  signals_only?: true
}

/** Members of an answer that tell it. */
export const grantScope = {
  authorization_types: z
    .array(z.string())
    .optional()
    .describe(
      'Types of selectors in the entries that name the agent, such as `property_tags` or `signal_ids`',
    ),
  signals_only: z
    .literal(true)
    .optional()
    .describe(
      'True if the agent is authorized for signals only, so that it cannot sell any property; absent otherwise',
    ),
}

/** Converts an agent's grants in force at one publisher to what they are of. */
export function toGrantScope(
  grants: readonly { readonly authorization_type: string }[],
): GrantScope {
  const types = [...new Set(grants.map(grant => grant.authorization_type))]
  return { authorization_types: types, ...(types.every(isOfSignals) && { signals_only: true }) }
}

export function pickGrantScope({ authorization_types, signals_only }: GrantScope): GrantScope {
  return { authorization_types, ...(signals_only && { signals_only }) }
}
