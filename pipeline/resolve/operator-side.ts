import { isSameSite } from '../core/domain.ts'
import type { Identifier } from '../model/documents/index.ts'
import {
  type OperatorRule,
  type OperatorSideOfGrant,
  type OperatorWord,
  operatorRules,
} from '../model/operator-side.ts'
import { compareDeclared, type Declarations, type Operator } from './operator.ts'

/** The operator's side: what the brand.json behind the agent says. */
export interface OperatorSide {
  operator: Operator | undefined
  /** Undefined while there is no such file. */
  declared: Declarations | undefined
  /**
   * Tells whether a publisher's own brand.json makes it a site of the operator's house or brand.
   */
  ownsSite?(publisher: string): boolean
  /** True for a moment of the past: the history does not contain what operators declared. */
  isUnrecorded?: boolean
}

/** The house or brand to which a domain's own brand.json assigns it. */
export interface Affiliation {
  /** Domains of its house, if the house names it in turn, and of its brand. */
  domains: readonly string[]
  /** The files that say so. */
  locations: readonly string[]
}

interface Branded {
  source: string
  canonical_domain: string
  house_domain?: string | null | undefined
  claimed_house_domain?: string | null | undefined
}

/** Lists the house and brand of a domain; what people say of it counts for nothing. */
export function listAffiliation(
  { source, canonical_domain, house_domain, claimed_house_domain }: Branded,
  locations: readonly string[],
): Affiliation {
  if (source !== 'brand_json' || (claimed_house_domain ?? undefined) !== undefined)
    return { domains: [], locations: [] }
  return { locations, domains: [canonical_domain, ...(house_domain ? [house_domain] : [])] }
}

/** Tells whether a domain of this affiliation is a site of an operator's house or brand. */
export function isAffiliated(operator: Operator, { domains, locations }: Affiliation): boolean {
  return (
    locations.includes(operator.location) ||
    domains.some(domain => isSameSite(domain, operator.domain))
  )
}

/** The operator's side at a moment of the past. */
export const unrecordedOperating: OperatorSide = {
  operator: undefined,
  declared: undefined,
  isUnrecorded: true,
}

/**
 * Judges what an operator says about a publisher's grant of a property with these identifiers, which is none
 * for a grant without properties.
 */
export function judgeOperator(
  identifiers: readonly Identifier[],
  publisher: string,
  { operator, declared, ownsSite, isUnrecorded }: OperatorSide,
  delegation: string | undefined,
): OperatorRule {
  if (isUnrecorded) return 'not_recorded'
  if (operator === undefined) return 'no_operator'
  if (declared === undefined) return 'no_brand_file'
  const relationships = declared.listFor(identifiers).map(declaration => declaration.relationship)
  if (relationships.length === 0) return 'not_declared'
  return compareDeclared(
    relationships,
    delegation,
    () => isSameSite(operator.domain, publisher) || (ownsSite?.(publisher) ?? false),
  )
}

/** Converts a rule to the words that answers use for it. */
export function toOperatorSide(rule: OperatorRule) {
  return { operator_side: operatorRules[rule], operator_reason: rule }
}

/** A property that a publisher's grants reach. */
interface Reached {
  property_rid: string
  identifiers: readonly Identifier[]
}

/** The grants of a publisher to agents of one operator that say the same of their delegation. */
interface GrantedAlike {
  delegation_type: string | null
  reaches(propertyRid: string): boolean
}

/**
 * Judges what an operator declares about the properties that a publisher grants its agents: a row for each
 * property that a declaration names, and delegation. `byKey` finds properties by `listLookupKeys`.
 */
export function judgeDeclared(
  byKey: ReadonlyMap<string, readonly Reached[]>,
  grants: readonly GrantedAlike[],
  publisher: string,
  operating: OperatorSide,
) {
  const keys = [...(operating.declared?.keys ?? [])]
  const named = new Set(keys.flatMap(key => byKey.get(key) ?? []))
  return [...named].flatMap(({ property_rid, identifiers }) =>
    grants
      .filter(grant => grant.reaches(property_rid))
      .map(({ delegation_type }) => ({
        property_rid,
        delegation_type,
        ...toOperatorSide(
          judgeOperator(identifiers, publisher, operating, delegation_type ?? undefined),
        ),
      })),
  )
}

/** Words from that which speaks for all properties of a grant to that which all must share. */
const precedence: readonly OperatorWord[] = ['contradicted', 'unknown', 'silent', 'confirmed']

/**
 * Combines what an operator says about each property of a grant, or about each grant of an agent; `none` is
 * what it says where there is no property.
 */
export function combineOperatorRules(
  rules: readonly OperatorRule[],
  none: OperatorRule,
): OperatorSideOfGrant {
  const deciding = precedence.flatMap(
    word => rules.find(rule => operatorRules[rule] === word) ?? [],
  )
  const contradicted = rules.filter(rule => operatorRules[rule] === 'contradicted').length
  return {
    ...toOperatorSide(deciding[0] ?? none),
    ...(contradicted > 0 && { properties_contradicted: contradicted }),
  }
}

/** A property with the terms of the grants that reach it. */
interface Granted {
  identifiers: readonly Identifier[]
  /** Delegations of these grants; null where one does not state any. */
  delegations: readonly (string | null)[]
}

/** Judges what an operator says about all that a publisher grants; of several grants of a property the best counts. */
export function judgeOperatorOfGrants(
  granted: Iterable<Granted>,
  publisher: string,
  operating: OperatorSide,
): OperatorSideOfGrant {
  const none = judgeOperator([], publisher, operating, undefined)
  if (none !== 'not_declared' || operating.declared?.all.length === 0) {
    return toOperatorSide(none)
  }
  const rules: OperatorRule[] = []
  for (const { identifiers, delegations } of granted) {
    const judged = [...new Set(delegations)].map(delegation =>
      judgeOperator(identifiers, publisher, operating, delegation ?? undefined),
    )
    const best = pickBest(judged)
    if (best !== undefined) rules.push(best)
  }
  return combineOperatorRules(rules, none)
}

const weight = { confirmed: 2, unknown: 1, silent: 1, contradicted: 0 } as const satisfies Record<
  OperatorWord,
  number
>

/** Picks the rule that is most in favour of a sale, the first of equals. */
function pickBest(rules: readonly OperatorRule[]): OperatorRule | undefined {
  let best: OperatorRule | undefined
  for (const rule of rules) {
    if (best === undefined || weight[operatorRules[rule]] > weight[operatorRules[best]]) best = rule
  }
  return best
}
