import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { deriveId } from '../core/uuid-v7.ts'
import type { AgentEntry, PropertyEntry } from '../model/documents/index.ts'
import type { ClaimRow, ListedProperty } from '../model/rows.ts'
import type { Claim } from '../resolve/claims.ts'
import { readCollections } from './authorizations.ts'
import { compareTypeAndValue, sortDistinct, sortOptional } from './sets.ts'
import type { RowStamp } from './stamp.ts'

/** Columns in which two rows of a claim can differ. */
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

/**
 * Builds the rows of a manager's claims from the current ones. `all` are the claims of these agents if only
 * some of them are given.
 */
export function buildClaimRows(
  manager: Domain,
  claims: readonly Claim[],
  before: readonly ClaimRow[],
  stamp: RowStamp,
  all: readonly Claim[] = claims,
): ClaimRow[] {
  const since = new Map(before.map(row => [row.claim_id, row.claimed_at]))
  const names = nameEntries(all)
  const shared = new Map<AgentEntry, ReturnType<typeof readQualifiers>>()
  return claims.map(claim => {
    const { entry, publisher_domain } = claim
    const qualifiers = shared.get(entry) ?? readQualifiers(entry)
    shared.set(entry, qualifiers)
    const key = `${names.get(entry)}\n${claim.selector}`
    const claim_id = deriveId('claim', manager, key, publisher_domain)
    return {
      claim_id,
      agent_url: entry.agent_url,
      publisher_domain,
      manager_domain: manager,
      entry: entry.entry,
      selector: claim.selector,
      ...toSelection(claim),
      ...qualifiers,
      claimed_at: since.get(claim_id) ?? toIso(stamp.now),
      changed_at: toIso(stamp.now),
      seq: stamp.seq,
    }
  })
}

/** Names each entry by its agent and its number among that agent's entries, so that others may come and go. */
function nameEntries(claims: readonly Claim[]): Map<AgentEntry, string> {
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

function toSelection({ selected, inline }: Claim) {
  const ids = inline.flatMap(({ property_id }) => property_id ?? [])
  return {
    selection_type: selected.selection_type,
    property_ids: sortOptional(selected.property_ids),
    property_tags: sortOptional(selected.property_tags),
    inline_property_ids: ids.sort(),
    inline_property_count: inline.length,
    inline_properties: [...inline]
      .sort(compareByIdAndName)
      .slice(0, INLINE_MAX)
      .map(toClaimedProperty),
  }
}

/**
 * Inline properties of a claim at most: each claim has its own copy, and a file may make thousands of claims.
 */
const INLINE_MAX = 100

/** Compares entries by id and name; no two entries of one claim are equal in all of these. */
function compareByIdAndName(a: PropertyEntry, b: PropertyEntry): number {
  const key = (entry: PropertyEntry) =>
    `${entry.property_id ?? ''}\n${entry.property_type}\n${entry.name}`
  return key(a) < key(b) ? -1 : 1
}

function toClaimedProperty(entry: PropertyEntry): ListedProperty {
  const { property_id = null, property_type, name, identifiers, tags } = entry
  return {
    property_id,
    property_type,
    name,
    tags: sortDistinct(tags),
    identifiers: [...identifiers].sort(compareTypeAndValue),
  }
}

function readQualifiers(entry: AgentEntry) {
  return {
    authorized_for: entry.authorized_for ?? null,
    placement_ids: sortOptional(entry.placement_ids),
    placement_tags: sortOptional(entry.placement_tags),
    collections: readCollections(entry),
    delegation_type: entry.delegation_type ?? null,
    exclusive: entry.exclusive ?? null,
    countries: sortOptional(entry.countries),
    effective_from: entry.effective_from ?? null,
    effective_until: entry.effective_until ?? null,
  }
}
