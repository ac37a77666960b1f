import { z } from 'zod'
import { grantScope } from './grant-scope.ts'

/**
 * Rules by which the operator's side of a grant is judged, and what each says: only `contradicted` stops a
 * sale that the publisher grants.
 */
export const operatorRules = {
  no_operator: 'unknown',
  no_brand_file: 'unknown',
  not_recorded: 'unknown',
  delegation_not_stated: 'unknown',
  not_declared: 'silent',
  declared_alike: 'confirmed',
  owns_it: 'confirmed',
  claims_to_own: 'contradicted',
  declared_otherwise: 'contradicted',
} as const
export type OperatorRule = keyof typeof operatorRules
export type OperatorWord = (typeof operatorRules)[OperatorRule]
/** Sentences for the operator's side, by rule. */
export const operatorTexts: Readonly<Record<OperatorRule, string>> = {
  no_operator: 'no operator is known for this agent',
  no_brand_file: 'the registry has no valid brand.json from the operator, so it cannot tell',
  not_recorded: 'the history does not contain what operators declared, so the registry cannot tell',
  not_declared: 'the operator does not declare any relationship with the property',
  delegation_not_stated:
    'none of the publisher’s entries says how the agent sells, so the two files cannot be compared',
  declared_alike: 'the operator declares the same relationship',
  owns_it: 'the operator owns the property: it is the publisher itself, or the company behind it',
  claims_to_own: 'the operator claims to own someone else’s property',
  declared_otherwise: 'the operator declares a different relationship',
}

export const operatorReasons = Object.keys(operatorRules) as [OperatorRule, ...OperatorRule[]]
export const operatorWords = [
  'confirmed',
  'silent',
  'contradicted',
  'unknown',
] as const satisfies readonly OperatorWord[]

/** Members of an answer that tell what the brand.json of an agent's operator says about a grant. */
export const operatorSide = {
  operator_side: z
    .enum(operatorWords)
    .describe(
      'What the brand.json of the agent’s operator says about the grant: `contradicted` means that the agent cannot sell, whatever the publisher grants; `silent` means that the file does not mention the property',
    ),
  operator_reason: z
    .enum(operatorReasons)
    .describe(
      `Rule that decided \`operator_side\`: ${operatorReasons.map(rule => `\`${rule}\` (${operatorTexts[rule]})`).join(', ')}`,
    ),
}

/** Terms that a sale may have to name, in the order in which a verdict asks for them. */
export const neededTerms = ['country', 'collection_ids', 'placement_ids'] as const
export type NeededTerm = (typeof neededTerms)[number]

/** Member of an answer that lists a grant: what a verdict about it has to be asked with. */
export const needsOfGrant = z
  .enum(neededTerms)
  .optional()
  .describe(
    'Parameter that a single check must include, because the grant of some properties depends on it; absent if no grant does',
  )

/** Members of an answer that tell the same of a grant of several properties. */
export const operatorSideOfGrant = {
  operator_side: operatorSide.operator_side.describe(
    'What the brand.json of the agent’s operator says about the grant: `contradicted` if the file contradicts the grant of any property, which the agent then cannot sell; `confirmed` if it confirms the grant of all properties; `silent` if it does not mention some of them',
  ),
  operator_reason: operatorSide.operator_reason,
  properties_contradicted: z
    .int()
    .positive()
    .optional()
    .describe('Number of granted properties that the operator contradicts; absent if none'),
}
/** Member of an answer that lists a grant: how much of it cannot be sold because of the publisher's own file. */
export const staleOfGrant = {
  properties_stale: z
    .int()
    .positive()
    .optional()
    .describe(
      'Number of granted properties that are stale and cannot be sold now, such as all of them once the file is gone (404); absent if none',
    ),
}
/** Members of an answer that tell what can be sold by all that a publisher grants an agent. */
export const grantFacts = { ...operatorSideOfGrant, ...staleOfGrant, needs: needsOfGrant }
/** Members of each agent or publisher in a list of grants. */
export const listedGrantFacts = { ...grantScope, ...grantFacts }
export interface OperatorSideOfGrant {
  operator_side: OperatorWord
  operator_reason: OperatorRule
  properties_contradicted?: number
}
