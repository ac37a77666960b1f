import type { Instant } from '../core/clock.ts'
import type { AuthorizationRow, PropertyRow, Reached } from '../model/rows.ts'
import { listHosts } from '../resolve/property-owners.ts'
import type { NoPublisher, PublisherFacts } from '../resolve/publisher.ts'
import { Revocations } from '../resolve/revocation.ts'
import { applyToReached, buildReached } from './property-sets.ts'
import type { PublisherRows } from './publisher-rows.ts'

/** Rows that a publisher would lose: grants that end, properties that turn stale. */
export interface Losses {
  grants: number
  properties: number
}

/**
 * Reason why the losses of an answer are suspicious. `failed`: its file is no longer valid;
 * `emptied`: the file is valid and drops half of the publisher's rows, or more.
 */
export type LossReason = 'failed' | 'emptied'

/** The publisher's facts now, its stored rows, and the rows made of the facts. */
export interface Answer {
  facts: PublisherFacts | NoPublisher
  old: PublisherRows
  fresh: PublisherRows
}

/**
 * Finds losses that the brake may hold back; undefined if there are none: the loss of few rows of a valid
 * file, a grant whose window closed, and revocations are not suspicious.
 */
export function findSuspiciousLosses(
  answer: Answer,
  now: Instant,
): (Losses & { reason: LossReason }) | undefined {
  const { facts, old } = answer
  const lost = findLosses(answer, now)
  const [grants, properties] = [lost.grants.length, lost.properties.size]
  if (grants + properties === 0) return undefined
  if (facts.validity !== 'valid') return { grants, properties, reason: 'failed' }
  const wasActive =
    old.authorizations.filter(row => row.in_force).length + old.properties.filter(isActive).length
  return (grants + properties) * 2 >= wasActive
    ? { grants, properties, reason: 'emptied' }
    : undefined
}

/**
 * Restores the losses of fresh rows: lost grants and properties stay in force; everything else is as in the
 * fresh rows. The publisher keeps its validity, and its counts are those of the rows.
 */
export function restoreLosses(answer: Answer, now: Instant): PublisherRows {
  const { old, fresh } = answer
  if (old.publisher === undefined || fresh.publisher === undefined) return fresh
  const lost = findLosses(answer, now)
  const properties = fresh.properties.map(row =>
    lost.properties.has(row.property_rid)
      ? { ...row, status: 'active' as const, stale_reason: null }
      : row,
  )
  const before = new Map(old.authorizations.map(row => [row.id, row]))
  const names = new Set(lost.grants.map(row => row.id))
  const others = fresh.authorizations.filter(row => !names.has(row.id))
  const buildRetainedSet = createRetention(lost.properties)
  const authorizations = [
    ...others.map(row => buildRetainedSet(row, before.get(row.id))),
    ...lost.grants,
  ]
  const removed = new Set(fresh.collections.filter(row => row.status === 'removed'))
  const listed = new Map(old.collections.map(row => [row.collection_rid, row]))
  const collections = fresh.collections.map(row =>
    removed.has(row) ? (listed.get(row.collection_rid) ?? row) : row,
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

/** Finds the earliest end of the windows of grants that are only held. */
export function findFirstEnd(answer: Answer, now: Instant): Instant | undefined {
  const endTimes = findLosses(answer, now).grants.flatMap(row => getEnd(row) ?? [])
  return endTimes.length === 0 ? undefined : Math.min(...endTimes)
}

function isActive({ status }: { status: string }): boolean {
  return status === 'active'
}

/**
 * Finds grants in force and active properties that would end, although their own window is open and no file
 * revokes them. Such a grant no longer reaches revoked properties.
 */
function findLosses({ facts, old, fresh }: Answer, now: Instant) {
  if (facts.revoked) return { grants: [], properties: new Set<string>() }
  const revoked = listRevoked(old.properties, facts, now)
  const active = old.properties.filter(row => isActive(row) && !revoked.has(row.property_rid))
  const wasActive = new Set(active.map(row => row.property_rid))
  const lost = (row: PropertyRow) => !isActive(row) && wasActive.has(row.property_rid)
  const properties = new Set(fresh.properties.filter(lost).map(row => row.property_rid))
  const grantsInForce = new Set(fresh.authorizations.filter(row => row.in_force).map(row => row.id))
  const remaining = applyToReached(old.publisher?.domain ?? '', rids =>
    rids.filter(rid => !revoked.has(rid)),
  )
  const grants = old.authorizations.flatMap(row => {
    const end = getEnd(row)
    if (!row.in_force || grantsInForce.has(row.id) || (end !== undefined && end <= now)) return []
    if (revoked.size === 0) return [row]
    const reached = remaining(row)
    if (reached.property_count === row.property_count) return [row]
    const { changed_at, seq } = fresh.publisher ?? row
    return reached.property_count === 0 ? [] : [{ ...row, ...reached, changed_at, seq }]
  })
  return { grants, properties }
}

/** Lists the properties that a file revokes by one of their names, though not the publisher as a whole. */
function listRevoked(
  rows: readonly PropertyRow[],
  { document }: PublisherFacts | NoPublisher,
  now: Instant,
): Set<string> {
  if (document === undefined) return new Set()
  const revocations = new Revocations(document, now)
  const isRevoked = (row: PropertyRow) => listHosts(row).some(host => revocations.hasOver(host))
  return new Set(rows.filter(isRevoked).map(row => row.property_rid))
}

/** Returns the first instant after a grant's window. */
function getEnd({ effective_until: until }: AuthorizationRow): Instant | undefined {
  return until === null ? undefined : Date.parse(until) + 1
}

/** Creates a function that lets a grant keep the properties that it reached before, except lost ones. */
function createRetention(lost: ReadonlySet<string>) {
  const known = new Map<string, Reached | undefined>()
  return (row: AuthorizationRow, before: AuthorizationRow | undefined): AuthorizationRow => {
    if (before === undefined || lost.size === 0) return row
    const name = `${row.property_set} ${before.property_set}`
    if (!known.has(name)) known.set(name, joinReach(row, before, lost))
    const reached = known.get(name)
    return reached ? { ...row, ...reached, publisher_wide: before.publisher_wide } : row
  }
}

function joinReach(
  row: AuthorizationRow,
  before: AuthorizationRow,
  lost: ReadonlySet<string>,
): Reached | undefined {
  const retained = before.property_rids.filter(rid => lost.has(rid))
  if (retained.length === 0) return undefined
  return buildReached(row.publisher_domain, [...row.property_rids, ...retained])
}
