import type { NeededTerm, OperatorSideOfGrant } from '../../model/operator-side.ts'
import { findNeedsOfSale, findTermOfGrant } from '../../resolve/authority.ts'
import { hasLimitedGrants, hasStaleProperties } from '../../serving/plain-sales.ts'
import { declareCache } from '../cache/caches.ts'
import { CommitCache } from '../cache/commit-cache.ts'
import type { Reader } from '../reader.ts'
import { findAgent, findOperatorSide } from './agents.ts'
import { findInventory, type Inventory } from './inventory.ts'
import { findSideOfGrants } from './operator-sides.ts'
import type { Revise } from './stored.ts'

/** Facts in lists about all that a publisher grants an agent. */
export interface GrantFacts extends OperatorSideOfGrant, StaleOfGrant {
  needs?: NeededTerm
}

/** The part of an agent's grants that cannot be sold because of the publisher's own file. */
interface StaleOfGrant {
  properties_stale?: number
}

/** Holds what any part of an inventory has: most have neither, and are not parsed for this. */
interface Stocked {
  isLimited: boolean
  isStale: boolean
}

const STOCKED_BYTES_MAX = 4 * 1024 * 1024
const STOCKED_BYTES = 80
const stocked = declareCache(() => new CommitCache<Stocked>(STOCKED_BYTES_MAX, () => STOCKED_BYTES))
const nothing: Stocked = { isLimited: false, isStale: false }

function findStocked(reader: Reader, publisher: string): Stocked {
  const { serving } = reader
  if (serving === undefined) return nothing
  return stocked(reader).get(serving, publisher, () => {
    const stored = serving.peek('inventory', publisher)
    if (stored === undefined) return nothing
    return { isLimited: hasLimitedGrants(stored), isStale: hasStaleProperties(stored) }
  })
}

/** Tells whether a publisher limits any grant to countries, collections or placements. */
export function isLimiting(reader: Reader, publisher: string): boolean {
  return findStocked(reader, publisher).isLimited
}

/** Finds what lists say of all that a publisher grants an agent now. */
export function findGrantFacts(reader: Reader, agentUrl: string, publisher: string): GrantFacts {
  const side = findSideOfGrants(reader, agentUrl, publisher)
  const { isLimited, isStale } = findStocked(reader, publisher)
  if (!isLimited && !isStale) return side
  const needs = findNeeds(reader, agentUrl, publisher)
  return { ...side, ...findStale(reader, agentUrl, publisher), ...(needs && { needs }) }
}

/** Counts the stale properties that a publisher grants an agent now. */
export function findStale(reader: Reader, agentUrl: string, publisher: string): StaleOfGrant {
  const { isStale } = findStocked(reader, publisher)
  return toStale((isStale && findInventory(reader, publisher)?.countStale(agentUrl)) || 0)
}

/** Converts a count of stale properties to the member of an answer, which is absent for none. */
export function toStale(count: number): StaleOfGrant {
  return count > 0 ? { properties_stale: count } : {}
}

/** Finds the term without which some property that a publisher grants an agent now cannot be sold. */
export function findNeeds(
  reader: Reader,
  agentUrl: string,
  publisher: string,
): NeededTerm | undefined {
  const inventory = isLimiting(reader, publisher) ? findInventory(reader, publisher) : undefined
  return inventory && findUnmetNeed(reader, inventory, agentUrl)
}

function findUnmetNeed(
  reader: Reader,
  inventory: Inventory,
  agentUrl: string,
): NeededTerm | undefined {
  const limits = inventory
    .grantsTo(agentUrl)
    .filter(grant => grant.in_force && findTermOfGrant(grant) !== undefined)
  if (limits.length === 0) return undefined
  // Which grant counts is the operator's matter too, also beside one without limits.
  const operating = findOperatorSide(reader, findAgent(reader, agentUrl))
  const publisher = inventory.granting(agentUrl)
  const terms = { at: reader.now() }
  for (const property of inventory.properties) {
    if (!property.is_active || !limits.some(grant => grant.reaches(property))) continue
    const needs = findNeedsOfSale(property, publisher, operating, terms)
    if (needs !== undefined) return needs
  }
  return undefined
}

/** Adds to each agent of a publisher's document what its grants need and what its operator says. */
export const addGrantFacts: Revise = (json, domain, reader) => {
  const document = JSON.parse(json) as { authorized_agents: { url: string }[] }
  if (document.authorized_agents.length === 0) return { json, tag: '' }
  const facts = document.authorized_agents.map(({ url }) => findGrantFacts(reader, url, domain))
  const authorized_agents = document.authorized_agents.map((agent, i) => ({
    ...agent,
    ...facts[i],
  }))
  return {
    json: JSON.stringify({ ...document, authorized_agents }),
    tag: JSON.stringify(facts),
  }
}
