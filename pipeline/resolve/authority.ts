import { getFirst } from '../core/present.ts'
import type { Identifier, LeftOutList } from '../model/documents/index.ts'
import {
  type NeededTerm,
  type OperatorRule,
  type OperatorWord,
  operatorRules,
} from '../model/operator-side.ts'
import { judgeOperator, type OperatorSide } from './operator-side.ts'
import {
  judgeTerms,
  judgeUnasked,
  type Placed,
  type Restrictions,
  type Terms,
  type TermsRule,
} from './sale-terms.ts'

/** Verdict of a side on a sale. `unknown`: it says nothing that could contradict the other. */
export type Side = 'match' | 'mismatch' | 'unknown'

/** A property with the facts by which a sale is judged. It can be sold while it is active. */
export interface ForSale {
  property_rid: string
  publisher_domain: string
  property_id: string | null
  tags: readonly string[]
  identifiers: readonly Identifier[]
  is_active: boolean
}

/** A grant of a publisher to one agent. */
export interface GrantInForce extends Restrictions {
  /** Position in `authorized_agents`. */
  entry: number
  authorization_type: string
  authorized_for: string | null
  /** Claim of the entry to be exclusive; it decides nothing. */
  exclusive?: boolean
  reaches(property: ForSale): boolean
}

/** The publisher's side: what its own file, or the one it leads to, says. */
export interface PublisherSide {
  domain: string
  /** True if a file of the publisher was read; then an agent that it does not list has no grant. */
  is_known: boolean
  placements: readonly Placed[]
  /** Grants to the agent in question. */
  grants: readonly GrantInForce[]
  /** Lists of the file that were not read as a whole: what they do not have is not known. */
  left_out?: readonly LeftOutList[] | undefined
}

export type PublisherRule =
  | TermsRule
  | 'file_not_known'
  | 'left_out_too_broad'
  | 'agent_not_listed'
  | 'property_not_active'
  | 'property_not_reached'

/** Verdict of one entry of a file on a sale, or of the file as a whole. */
export interface PublisherStep {
  rule: PublisherRule
  grant?: GrantInForce
}

/** Rules that decided a sale; the answer and its explanation follow from them. */
export interface DecidingRules {
  publisher: PublisherStep[]
  /** The one of these that decided, or that would grant the sale if the needed term were named. */
  deciding: PublisherStep
  operator: { rule: OperatorRule; delegation: string | undefined }
}

export interface Verdict {
  /** The publisher grants it, and the operator does not contradict. */
  authorized: boolean
  /** True if both sides agree. */
  confirmed: boolean
  sides: { publisher: Side; operator: Side }
  /** The term that a grant of this sale is limited by and the question leaves out. */
  needs?: NeededTerm
  /** The grant that counts, if any lets the sale through. */
  grant?: GrantInForce
  judged: DecidingRules
}

/** Terms that a question leaves out, by the rule that stops the sale without them. */
const neededTerms = {
  country_not_asked: 'country',
  collection_not_asked: 'collection_ids',
  placement_not_asked: 'placement_ids',
} as const satisfies Partial<Record<PublisherRule, NeededTerm>>

/** Finds the term without which a rule stops the sale. */
function findNeededTerm(rule: PublisherRule): NeededTerm | undefined {
  return neededTerms[rule as keyof typeof neededTerms]
}

/** Finds the term that every sale by a grant has to name; undefined if the grant is not limited. */
export function findTermOfGrant(grant: Restrictions): NeededTerm | undefined {
  const rule = judgeUnasked(grant)
  return rule && findNeededTerm(rule)
}

const publisherSays = {
  granted: 'match',
  file_not_known: 'unknown',
  left_out_too_broad: 'unknown',
  delegation_not_stated: 'unknown',
} as const satisfies Partial<Record<PublisherRule, Side>>

const operatorSays = {
  confirmed: 'match',
  contradicted: 'mismatch',
  silent: 'unknown',
  unknown: 'unknown',
} as const satisfies Record<OperatorWord, Side>

export function judgePublisherSide(rule: PublisherRule): Side {
  return publisherSays[rule as keyof typeof publisherSays] ?? 'mismatch'
}

export function judgeOperatorSide(rule: OperatorRule): Side {
  return operatorSays[operatorRules[rule]]
}

/** Weight of a side's verdict in favour of a sale. */
export const weight: Readonly<Record<Side, number>> = { match: 2, unknown: 1, mismatch: 0 }

/**
 * Judges whether an agent can sell a property on these terms. A grant counts for the properties it
 * reaches, all of the publisher's or one. The grant with the best verdicts of both sides counts.
 */
export function judge(
  property: ForSale,
  publisher: PublisherSide,
  operatorSide: OperatorSide,
  terms: Terms,
): Verdict {
  const judged = judgePublisher(property, publisher, terms)
  let best = getFirst(judged)
  let operator: DecidingRules['operator'] | undefined
  let limited: { step: PublisherStep; needs: NeededTerm } | undefined
  for (const current of judged) {
    const delegation = terms.delegation_type ?? current.grant?.delegation_type ?? undefined
    const rule = judgeOperator(property.identifiers, publisher.domain, operatorSide, delegation)
    const needs = findNeededTerm(current.rule)
    if (needs && judgeOperatorSide(rule) !== 'mismatch') limited ??= { step: current, needs }
    if (operator !== undefined && rank(current.rule, rule) <= rank(best.rule, operator.rule))
      continue
    best = current
    operator = { rule, delegation }
  }
  if (operator === undefined) throw new Error('no rule of the publisher was judged')
  const sides = {
    publisher: judgePublisherSide(best.rule),
    operator: judgeOperatorSide(operator.rule),
  }
  const granted = sides.publisher === 'match'
  const authorized = granted && sides.operator !== 'mismatch'
  const lacking = authorized ? undefined : limited
  return {
    authorized,
    confirmed: granted && sides.operator === 'match',
    sides,
    ...(lacking && { needs: lacking.needs }),
    ...(granted && best.grant && { grant: best.grant }),
    judged: { publisher: judged, deciding: lacking?.step ?? best, operator },
  }
}

function rank(publisher: PublisherRule, operator: OperatorRule): number {
  return 3 * weight[judgePublisherSide(publisher)] + weight[judgeOperatorSide(operator)]
}

/**
 * Tells whether the publisher grants a sale, independent of the operator: `judge` for an agent
 * without operator, without the reasons.
 */
export function isGranted(property: ForSale, publisher: PublisherSide, terms: Terms): boolean {
  return (
    publisher.is_known &&
    property.is_active &&
    publisher.grants.some(
      grant =>
        grant.reaches(property) && judgeTerms(grant, terms, property, publisher) === 'granted',
    )
  )
}

/** Finds the term that a sale which is granted somewhere has to name besides these; undefined if it needs no other. */
export function findMissingTerm(
  property: ForSale,
  publisher: PublisherSide,
  terms: Terms,
): NeededTerm | undefined {
  const rules = judgePublisher(property, publisher, { ...terms, anywhere: false }).map(
    ({ rule }) => rule,
  )
  if (rules.includes('granted')) return undefined
  return rules.map(findNeededTerm).find(term => term !== undefined)
}

/** Finds the term that a sale has to name: as its verdict says, or else one that limits a grant to it. */
export function findNeedsOfSale(
  property: ForSale,
  publisher: PublisherSide,
  operating: Parameters<typeof judge>[2],
  terms: Terms,
): NeededTerm | undefined {
  const asked = { ...terms, anywhere: false }
  const { needs } = judge(property, publisher, operating, asked)
  return needs ?? findMissingTerm(property, publisher, asked)
}

/** Judges a sale by the publisher's file; never empty, since a file that does not list the agent is a verdict too. */
function judgePublisher(
  property: ForSale,
  publisher: PublisherSide,
  terms: Terms,
): PublisherStep[] {
  if (!publisher.is_known) return [{ rule: 'file_not_known' }]
  const { grants, left_out = [] } = publisher
  const judged = judgeGrants(property, publisher, terms).map(({ rule, ...said }) => {
    const list = readFrom[rule]
    const isUnread = list !== undefined && left_out.includes(list)
    return { ...said, rule: isUnread ? 'left_out_too_broad' : rule } as const
  })
  // An entry that was left out may grant what those that are kept do not.
  const isDenied = judged.every(({ rule }) => judgePublisherSide(rule) === 'mismatch')
  const isOpen = left_out.includes('agents') && grants.length > 0 && isDenied
  return isOpen ? [...judged, { rule: 'left_out_too_broad' }] : judged
}

/** Rules that follow from what a list does not have, and that list. */
const readFrom: Partial<Record<PublisherRule, LeftOutList>> = {
  agent_not_listed: 'agents',
  property_not_active: 'properties',
  placement_not_known: 'placements',
}

function judgeGrants(property: ForSale, publisher: PublisherSide, terms: Terms): PublisherStep[] {
  if (publisher.grants.length === 0) return [{ rule: 'agent_not_listed' }]
  if (!property.is_active) return [{ rule: 'property_not_active' }]
  return publisher.grants.map(grant => ({
    grant,
    rule: grant.reaches(property)
      ? judgeTerms(grant, terms, property, publisher)
      : 'property_not_reached',
  }))
}

export interface Tally {
  requested: number
  authorized: number
  confirmed: number
  sides: Verdict['sides']
}

/**
 * Combines verdicts on several properties. One contradiction decides a side; otherwise it matches when
 * all match.
 */
export function tallyVerdicts(verdicts: readonly Verdict[]): Tally {
  const combineSide = (name: keyof Verdict['sides']): Side => {
    const verdictsOfSide = new Set(verdicts.map(({ sides }) => sides[name]))
    if (verdictsOfSide.has('mismatch')) return 'mismatch'
    return verdictsOfSide.size === 1 && verdictsOfSide.has('match') ? 'match' : 'unknown'
  }
  return {
    requested: verdicts.length,
    authorized: verdicts.filter(({ authorized }) => authorized).length,
    confirmed: verdicts.filter(({ confirmed }) => confirmed).length,
    sides: { publisher: combineSide('publisher'), operator: combineSide('operator') },
  }
}
