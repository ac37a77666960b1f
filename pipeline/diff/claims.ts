import { isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { idOfFacts } from '../core/uuid-v7.ts'
import type { AgentEntry, PropertyEntry } from '../model/documents.ts'
import type { ClaimRow, ListedProperty } from '../model/rows.ts'
import type { Claim } from '../resolve/claims.ts'
import { collectionsOf } from './authorizations.ts'
import type { Stamp } from './rows.ts'
import { byTypeAndValue, setOf, sorted } from './sets.ts'

/** Columns that make two rows of a claim differ. */
export const claimFacts = [
  'entry',
  'authorized_for',
  'selection_type',
  'property_ids',
  'property_tags',
  'inline_property_ids',
  'inline_property_count',
  'inline_properties',
  'placement_ids',
  'placement_tags',
  'collections',
  'delegation_type',
  'exclusive',
  'countries',
  'effective_from',
  'effective_until',
] as const satisfies (keyof ClaimRow)[]

/** The rows of what a manager's file claims, given those that stand. */
export function claimRowsOf(
  manager: Domain,
  claims: readonly Claim[],
  before: readonly ClaimRow[],
  stamp: Stamp,
): ClaimRow[] {
  const since = new Map(before.map(row => [row.claim_id, row.claimed_at]))
  const names = namesOf(claims)
  const shared = new Map<AgentEntry, ReturnType<typeof qualifiersOf>>()
  return claims.map(claim => {
    const { entry, publisher_domain } = claim
    const qualifiers = shared.get(entry) ?? qualifiersOf(entry)
    shared.set(entry, qualifiers)
    const place = `${names.get(entry)}\n${claim.selector}`
    const claim_id = idOfFacts('claim', manager, place, publisher_domain)
    return {
      claim_id,
      agent_url: entry.agent_url,
      publisher_domain,
      manager_domain: manager,
      entry: entry.entry,
      selector: claim.selector,
      ...selectionOf(claim),
      ...qualifiers,
      claimed_at: since.get(claim_id) ?? isoOf(stamp.now),
      changed_at: isoOf(stamp.now),
      seq: stamp.seq,
    }
  })
}

/** An entry is known by its agent and which of that agent's it is, so that others may come and go. */
function namesOf(claims: readonly Claim[]): Map<AgentEntry, string> {
  const counts = new Map<string, number>()
  const names = new Map<AgentEntry, string>()
  for (const { entry } of claims) {
    if (names.has(entry)) continue
    const ordinal = counts.get(entry.agent_url) ?? 0
    counts.set(entry.agent_url, ordinal + 1)
    names.set(entry, `${entry.agent_url}\n${ordinal}`)
  }
  return names
}

function selectionOf({ selected, inline }: Claim) {
  const ids = inline.flatMap(({ property_id }) => property_id ?? [])
  return {
    selection_type: selected.selection_type,
    property_ids: setOf(selected.property_ids),
    property_tags: setOf(selected.property_tags),
    inline_property_ids: ids.sort(),
    inline_property_count: inline.length,
    inline_properties: [...inline].sort(byIdAndName).slice(0, INLINE_KEPT).map(listedProperty),
  }
}

/** Each claim has its own copy of what the file lists, and a file may make thousands of each. */
const INLINE_KEPT = 100

/** No two that one claim reaches are the same in all of these. */
function byIdAndName(a: PropertyEntry, b: PropertyEntry): number {
  const key = (entry: PropertyEntry) =>
    `${entry.property_id ?? ''}\n${entry.property_type}\n${entry.name}`
  return key(a) < key(b) ? -1 : 1
}

function listedProperty(entry: PropertyEntry): ListedProperty {
  const { property_id = null, property_type, name, identifiers, tags } = entry
  return {
    ...{ property_id, property_type, name, tags: sorted(tags) },
    identifiers: [...identifiers].sort(byTypeAndValue),
  }
}

function qualifiersOf(entry: AgentEntry) {
  return {
    authorized_for: entry.authorized_for ?? null,
    placement_ids: setOf(entry.placement_ids),
    placement_tags: setOf(entry.placement_tags),
    collections: collectionsOf(entry),
    delegation_type: entry.delegation_type ?? null,
    exclusive: entry.exclusive ?? null,
    countries: setOf(entry.countries),
    effective_from: entry.effective_from ?? null,
    effective_until: entry.effective_until ?? null,
  }
}
