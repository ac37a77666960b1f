import type { OperatorSideOfGrant } from '../../model/operator-side.ts'
import { type ForSale, judge } from '../../resolve/authority.ts'
import {
  judgeOperatorOfGrants,
  type OperatorSide,
  toOperatorSide,
} from '../../resolve/operator-side.ts'
import type { Terms } from '../../resolve/sale-terms.ts'
import type { Reader } from '../reader.ts'
import { findAgent, findOperatorSide, isOperatorSilent } from './agents.ts'
import { findInventory, type Inventory } from './inventory.ts'

/** Finds what the operator of an agent says about all that a publisher grants the agent now. */
export function findSideOfGrants(
  reader: Reader,
  agentUrl: string,
  publisher: string,
): OperatorSideOfGrant {
  const agent = findAgent(reader, agentUrl)
  const operating = findOperatorSide(reader, agent)
  const inventory = isOperatorSilent(reader, agent) ? undefined : findInventory(reader, publisher)
  return judgeOperatorOfGrants(listGranted(inventory, agentUrl), publisher, operating)
}

/** Lists the active properties that a publisher grants an agent now. */
function* listGranted(inventory: Inventory | undefined, agentUrl: string) {
  if (inventory === undefined) return
  const grants = inventory.grantsTo(agentUrl).filter(grant => grant.in_force)
  for (const property of inventory.properties) {
    if (!property.is_active) continue
    const delegations = grants.flatMap(grant =>
      grant.reaches(property) ? [grant.delegation_type] : [],
    )
    if (delegations.length > 0) yield { identifiers: property.identifiers, delegations }
  }
}

/**
 * Finds what the operator of an agent says about the sale of one property by a publisher's grants on these terms.
 */
export function findSideOfSale(
  reader: Reader,
  agentUrl: string,
  property: ForSale,
  publisher: string,
  terms: Terms,
) {
  const agent = findAgent(reader, agentUrl)
  const operating: OperatorSide = findOperatorSide(reader, agent)
  const inventory = isOperatorSilent(reader, agent) ? undefined : findInventory(reader, publisher)
  if (inventory === undefined) {
    return judgeOperatorOfGrants([], publisher, operating)
  }
  const { judged } = judge(property, inventory.granting(agentUrl), operating, terms)
  return toOperatorSide(judged.operator.rule)
}
