import type { Instant } from '../core/clock.ts'
import type { AuthorizationRow, PropertyRow } from '../model/rows.ts'
import { hostsOf } from '../resolve/ownership.ts'
import type { Astray, PublisherFacts } from '../resolve/publisher.ts'
import { Revocations } from '../resolve/revocation.ts'
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

/** What the files say of a publisher now, the rows that stood, and those that it makes of them. */
export interface Answer {
  facts: PublisherFacts | Astray
  old: PublisherRows
  fresh: PublisherRows
}

/**
 * What an answer takes that a brake may hold back; undefined where there is nothing to hold: few rows
 * of a file that stands, a grant whose published time is over, or what was revoked.
 */
export function suspiciousLosses(
  answer: Answer,
  now: Instant,
): (Losses & { reason: LossReason }) | undefined {
  const { facts, old } = answer
  const lost = lostOf(answer, now)
  const [grants, properties] = [lost.grants.length, lost.properties.size]
  if (grants + properties === 0) return undefined
  if (facts.standing !== 'stands') return { grants, properties, reason: 'failed' }
  const stood =
    old.authorizations.filter(row => row.in_force).length + old.properties.filter(isActive).length
  return (grants + properties) * 2 >= stood ? { grants, properties, reason: 'emptied' } : undefined
}

/**
 * The fresh rows without what they take: grants and properties that stood stand on, with all that the
 * fresh rows say otherwise. The publisher stays as valid as it was, and its counts are those of the rows.
 */
export function withoutLosses(answer: Answer, now: Instant): PublisherRows {
  const { old, fresh } = answer
  if (old.publisher === undefined || fresh.publisher === undefined) return fresh
  const lost = lostOf(answer, now)
  const properties = fresh.properties.map(row =>
    lost.properties.has(row.property_rid)
      ? { ...row, status: 'active' as const, stale_reason: null }
      : row,
  )
  const before = new Map(old.authorizations.map(row => [row.id, row]))
  const names = new Set(lost.grants.map(row => row.id))
  const others = fresh.authorizations.filter(row => !names.has(row.id))
  const authorizations = [
    ...others.map(row => reachingOn(row, before.get(row.id), lost.properties)),
    ...lost.grants,
  ]
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

/** When the first of the grants that stand only because they are held is over by its own words. */
export function firstEnd(answer: Answer, now: Instant): Instant | undefined {
  const ends = lostOf(answer, now).grants.flatMap(row => endOf(row) ?? [])
  return ends.length === 0 ? undefined : Math.min(...ends)
}

function isActive({ status }: { status: string }): boolean {
  return status === 'active'
}

/**
 * Grants in force and active properties that would not be, though neither their own time is over nor
 * a file revokes them. What such a grant reached of revoked properties it reaches no more.
 */
function lostOf({ facts, old, fresh }: Answer, now: Instant) {
  if (facts.revoked) return { grants: [], properties: new Set<string>() }
  const revoked = revokedAmong(old.properties, facts, now)
  const active = old.properties.filter(row => isActive(row) && !revoked.has(row.property_rid))
  const stood = new Set(active.map(row => row.property_rid))
  const lost = (row: PropertyRow) => !isActive(row) && stood.has(row.property_rid)
  const properties = new Set(fresh.properties.filter(lost).map(row => row.property_rid))
  const standing = new Set(fresh.authorizations.filter(row => row.in_force).map(row => row.id))
  const grants = old.authorizations.flatMap(row => {
    const end = endOf(row)
    if (!row.in_force || standing.has(row.id) || (end !== undefined && end <= now)) return []
    const property_rids = row.property_rids.filter(rid => !revoked.has(rid))
    if (property_rids.length === row.property_rids.length) return [row]
    const { changed_at, seq } = fresh.publisher ?? row
    return property_rids.length === 0 ? [] : [{ ...row, property_rids, changed_at, seq }]
  })
  return { grants, properties }
}

/** Properties that a file revokes by a name of theirs, though not the publisher as a whole. */
function revokedAmong(
  rows: readonly PropertyRow[],
  { document }: PublisherFacts | Astray,
  now: Instant,
): Set<string> {
  if (document === undefined) return new Set()
  const revocations = new Revocations(document, now)
  const isRevoked = (row: PropertyRow) => hostsOf(row).some(host => revocations.hasOver(host))
  return new Set(rows.filter(isRevoked).map(row => row.property_rid))
}

/** The first moment after a grant's window. */
function endOf({ effective_until: until }: AuthorizationRow): Instant | undefined {
  return until === null ? undefined : Date.parse(until) + 1
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
