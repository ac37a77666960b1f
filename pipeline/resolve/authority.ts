import { isSameSite } from '../core/domain.ts'
import type { Identifier } from '../model/documents.ts'
import { compareDeclared, type Declarations, type Operator, type OperatorRule } from './operator.ts'
import {
  type Placed,
  type Restrictions,
  type Terms,
  type TermsRule,
  termsRule,
} from './sale-terms.ts'

/** What a side says of a sale. `unknown`: it says nothing that the other could be held to. */
export type Side = 'match' | 'mismatch' | 'unknown'

/** A property as authority is judged by: its publisher owns it, and it is for sale while it is active. */
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
  reaches(property: ForSale): boolean
}

/** The publisher's side: what its own file, or the one it leads to, says. */
export interface Granting {
  domain: string
  /** Somebody read a file of it, so that its silence says something. */
  is_known: boolean
  placements: readonly Placed[]
  /** To the agent that is asked about. */
  grants: readonly GrantInForce[]
}

/** The operator's side: what the brand.json behind the agent says. */
export interface Operating {
  operator: Operator | undefined
  /** Undefined while no such file stands. */
  declared: Declarations | undefined
}

export type PublisherRule =
  | TermsRule
  | 'file_not_known'
  | 'agent_not_listed'
  | 'property_not_active'
  | 'property_not_reached'

/** Which rule let something through or stopped it: what an answer is made of, and explained by. */
export interface Judged {
  publisher: { rule: PublisherRule; grant?: GrantInForce }[]
  operator: { rule: OperatorRule; delegation: string | undefined }
}

export interface Verdict {
  /** The publisher grants it, and the operator does not contradict. */
  authorized: boolean
  /** Both say the same. */
  confirmed: boolean
  sides: { publisher: Side; operator: Side }
  /** The grant that counts, if any lets the sale through. */
  grant?: GrantInForce
  judged: Judged
}

const publisherSays = {
  granted: 'match',
  file_not_known: 'unknown',
  delegation_not_stated: 'unknown',
} as const satisfies Partial<Record<PublisherRule, Side>>

const operatorSays: Readonly<Record<OperatorRule, Side>> = {
  no_operator: 'unknown',
  no_brand_file: 'unknown',
  not_declared: 'unknown',
  delegation_not_stated: 'unknown',
  declared_alike: 'match',
  owns_it: 'match',
  claims_to_own: 'mismatch',
  declared_otherwise: 'mismatch',
}

export function publisherSide(rule: PublisherRule): Side {
  return publisherSays[rule as keyof typeof publisherSays] ?? 'mismatch'
}

export function operatorSide(rule: OperatorRule): Side {
  return operatorSays[rule]
}

/** How much a side says for a sale. */
const weight: Readonly<Record<Side, number>> = { match: 2, unknown: 1, mismatch: 0 }

/**
 * Whether an agent may sell a property on these terms. A grant counts for the properties it reaches,
 * whether these are all of the publisher's or one of them. Of several grants the one counts that both
 * sides say most for.
 */
export function judge(
  property: ForSale,
  publisher: Granting,
  operating: Operating,
  terms: Terms,
): Verdict {
  const judged = judgePublisher(property, publisher, terms)
  let best = judged[0]!
  let operator: Judged['operator'] | undefined
  for (const one of judged) {
    const delegation = terms.delegation_type ?? one.grant?.delegation_type ?? undefined
    const rule = judgeOperator(property, publisher.domain, operating, delegation)
    if (operator !== undefined && rank(one.rule, rule) <= rank(best.rule, operator.rule)) continue
    best = one
    operator = { rule, delegation }
  }
  const sides = { publisher: publisherSide(best.rule), operator: operatorSide(operator!.rule) }
  const granted = sides.publisher === 'match'
  return {
    authorized: granted && sides.operator !== 'mismatch',
    confirmed: granted && sides.operator === 'match',
    sides,
    ...(granted && best.grant && { grant: best.grant }),
    judged: { publisher: judged, operator: operator! },
  }
}

function rank(publisher: PublisherRule, operator: OperatorRule): number {
  return 3 * weight[publisherSide(publisher)] + weight[operatorSide(operator)]
}

/**
 * Whether the publisher grants it, whoever the operator is: what `judge` comes to where nobody operates
 * the agent, without the reasons.
 */
export function isGranted(property: ForSale, publisher: Granting, terms: Terms): boolean {
  return (
    publisher.is_known &&
    property.is_active &&
    publisher.grants.some(
      grant =>
        grant.reaches(property) && termsRule(grant, terms, property, publisher) === 'granted',
    )
  )
}

/** Never empty: a file that says nothing of the agent is judged too. */
function judgePublisher(property: ForSale, publisher: Granting, terms: Terms): Judged['publisher'] {
  if (!publisher.is_known) return [{ rule: 'file_not_known' }]
  if (publisher.grants.length === 0) return [{ rule: 'agent_not_listed' }]
  if (!property.is_active) return [{ rule: 'property_not_active' }]
  return publisher.grants.map(grant => ({
    grant,
    rule: grant.reaches(property)
      ? termsRule(grant, terms, property, publisher)
      : 'property_not_reached',
  }))
}

function judgeOperator(
  property: ForSale,
  publisher: string,
  { operator, declared }: Operating,
  delegation: string | undefined,
): OperatorRule {
  if (operator === undefined) return 'no_operator'
  if (declared === undefined) return 'no_brand_file'
  const relationships = declared.of(property.identifiers).map(one => one.relationship)
  if (relationships.length === 0) return 'not_declared'
  return compareDeclared(relationships, delegation, isSameSite(operator.domain, publisher))
}

export interface Tally {
  requested: number
  authorized: number
  confirmed: number
  sides: Verdict['sides']
}

/**
 * What verdicts on several properties come to. One contradiction is the word of a side; otherwise it
 * matches when it does for every one of them.
 */
export function tallyOf(verdicts: readonly Verdict[]): Tally {
  const sideOf = (name: keyof Verdict['sides']): Side => {
    const said = new Set(verdicts.map(({ sides }) => sides[name]))
    if (said.has('mismatch')) return 'mismatch'
    return said.size === 1 && said.has('match') ? 'match' : 'unknown'
  }
  return {
    requested: verdicts.length,
    authorized: verdicts.filter(({ authorized }) => authorized).length,
    confirmed: verdicts.filter(({ confirmed }) => confirmed).length,
    sides: { publisher: sideOf('publisher'), operator: sideOf('operator') },
  }
}
