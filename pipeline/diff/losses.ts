import type { Instant } from '../core/clock.ts'
import type { AuthorizationRow, PropertyRow } from '../model/rows.ts'
import type { Astray, PublisherFacts } from '../resolve/publisher.ts'
import type { PublisherRows } from './rows.ts'

/** Rows that an answer would take from a publisher: grants that end, properties that turn stale. */
export interface Losses {
  grants: number
  properties: number
}

/**
 * Why an answer takes so much that many of its kind are suspicious. `failed`: its file stands no
 * more; `emptied`: the file stands and drops half of what the publisher had, or more.
 */
export type LossReason = 'failed' | 'emptied'

/**
 * What an answer takes that a brake may hold back; undefined where there is nothing to hold: few rows
 * of a file that stands, a grant whose published time is over, or a publisher that was revoked.
 */
export function suspiciousLosses(
  facts: PublisherFacts | Astray,
  old: PublisherRows,
  fresh: PublisherRows,
  now: Instant,
): (Losses & { reason: LossReason }) | undefined {
  const grants = lostGrants(old, fresh, now).length
  const properties = lostProperties(old, fresh).size
  const lost = grants + properties
  if (lost === 0 || (facts.document && facts.revoked)) return undefined
  if (facts.standing !== 'stands') return { grants, properties, reason: 'failed' }
  const stood =
    old.authorizations.filter(row => row.in_force).length + old.properties.filter(isActive).length
  return lost * 2 >= stood ? { grants, properties, reason: 'emptied' } : undefined
}

/**
 * The fresh rows without what they take: grants and properties that stood stand on, with all that the
 * fresh rows say otherwise. The publisher stays as valid as it was, and its counts are those of the rows.
 */
export function withoutLosses(
  old: PublisherRows & { publisher: NonNullable<PublisherRows['publisher']> },
  fresh: PublisherRows & { publisher: NonNullable<PublisherRows['publisher']> },
  now: Instant,
): PublisherRows {
  const lost = lostProperties(old, fresh)
  const properties = fresh.properties.map(row =>
    lost.has(row.property_rid) ? { ...row, status: 'active' as const, stale_reason: null } : row,
  )
  const before = new Map(old.authorizations.map(row => [row.id, row]))
  const kept = lostGrants(old, fresh, now)
  const names = new Set(kept.map(row => row.id))
  const others = fresh.authorizations.filter(row => !names.has(row.id))
  const authorizations = [...others.map(row => reachingOn(row, before.get(row.id), lost)), ...kept]
  const removed = new Set(fresh.collections.filter(row => row.status === 'removed'))
  const shown = new Map(old.collections.map(row => [row.collection_rid, row]))
  const collections = fresh.collections.map(row =>
    removed.has(row) ? (shown.get(row.collection_rid) ?? row) : row,
  )
  const publisher = {
    ...fresh.publisher,
    valid: old.publisher.valid,
    agent_count: new Set(authorizations.map(row => row.agent_url)).size,
    property_count: properties.filter(isActive).length,
    collection_count: collections.filter(isActive).length,
  }
  return { publisher, properties, authorizations, collections }
}

function isActive({ status }: { status: string }): boolean {
  return status === 'active'
}

function lostProperties(old: PublisherRows, fresh: PublisherRows): Set<string> {
  const active = new Set(old.properties.filter(isActive).map(row => row.property_rid))
  const lost = (row: PropertyRow) => !isActive(row) && active.has(row.property_rid)
  return new Set(fresh.properties.filter(lost).map(row => row.property_rid))
}

/** Grants in force that would not be, though their own time is not over. */
function lostGrants(old: PublisherRows, fresh: PublisherRows, now: Instant): AuthorizationRow[] {
  const standing = new Set(fresh.authorizations.filter(row => row.in_force).map(row => row.id))
  return old.authorizations.filter(row => {
    const end = endOf(row)
    return row.in_force && !standing.has(row.id) && (end === undefined || end > now)
  })
}

/** The first moment after a grant's window. */
function endOf({ effective_until: until }: AuthorizationRow): Instant | undefined {
  return until === null ? undefined : Date.parse(until) + 1
}

/** When the first of the grants that stand only because they are held is over by its own words. */
export function firstEnd(old: PublisherRows, fresh: PublisherRows, now: Instant) {
  const ends = lostGrants(old, fresh, now).flatMap(row => endOf(row) ?? [])
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** A grant still reaches the properties that it reached and that are not taken. */
function reachingOn(
  row: AuthorizationRow,
  before: AuthorizationRow | undefined,
  lost: ReadonlySet<string>,
): AuthorizationRow {
  const kept = (before?.property_rids ?? []).filter(rid => lost.has(rid))
  if (kept.length === 0) return row
  const property_rids = [...new Set([...row.property_rids, ...kept])].sort()
  return { ...row, property_rids, publisher_wide: before!.publisher_wide }
}
