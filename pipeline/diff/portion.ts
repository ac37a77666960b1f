import { toIso } from '../core/clock.ts'
import type { AuthorizationRow, CollectionRow, PropertyRow, PublisherRow } from '../model/rows.ts'
import type { Change } from './diff.ts'
import type { PublisherRows } from './publisher-rows.ts'
import { sortDistinct } from './sets.ts'
import type { RowStamp } from './stamp.ts'

/** Changes of an answer to the rows that a publisher may have thousands of. */
export interface ChangesToSplit {
  properties: readonly Change<PropertyRow>[]
  authorizations: readonly Change<AuthorizationRow>[]
  collections: readonly Change<CollectionRow>[]
}

/** Counts the rows that an answer changes, and the agents that it newly lists: each of these is a row too. */
export function countChanges(
  changes: ChangesToSplit,
  old: PublisherRows,
  fresh: PublisherRows,
): number {
  return countRows(changes) + listAddedAgents(old, fresh).length
}

export function countRows({ properties, authorizations, collections }: ChangesToSplit): number {
  return properties.length + authorizations.length + collections.length
}

/** A portion of an answer. */
export interface Portion {
  rows: PublisherRows
  /** Changes that lead to these rows, as `diff` would find them. */
  taken: ChangesToSplit
  /** Changes that lead from these rows to those of the answer. */
  remaining: ChangesToSplit
}

/**
 * Takes the first of the rows that an answer changes; the others wait for the next commits. Losses of
 * grants come first, and their gains after the properties that they reach: so meanwhile a publisher grants
 * too little and never too much. Its counts are always those of its rows; the change of its file is
 * reported with the last of them.
 */
export function takePortion(
  old: PublisherRows,
  fresh: PublisherRows & { publisher: PublisherRow },
  changes: ChangesToSplit,
  max: number,
  stamp: Pick<RowStamp, 'now' | 'seq'>,
): Portion {
  const known = new Set(old.properties.map(row => row.property_rid))
  const isKnown = (rid: string) => known.has(rid)
  const isLoss = (change: Change<AuthorizationRow>) =>
    change.kind === 'removed' ||
    (change.kind === 'changed' && change.row.property_rids.every(isKnown))
  let room = max
  const first = <Row>(some: readonly Change<Row>[]) => {
    const portion = some.slice(0, Math.max(0, room))
    room -= some.length
    return portion
  }
  const losses = first(changes.authorizations.filter(isLoss))
  const properties = first(changes.properties)
  const gains = first(changes.authorizations.filter(change => !isLoss(change)))
  const collections = first(changes.collections)
  const owned = {
    properties: applyChanges(old.properties, properties, row => row.property_rid, stamp),
    authorizations: applyChanges(old.authorizations, [...losses, ...gains], row => row.id, stamp),
    collections: applyChanges(old.collections, collections, row => row.collection_rid, stamp),
  }
  const added = listAddedAgents(old, fresh).slice(0, Math.max(0, room))
  const rows = {
    properties: owned.properties.rows,
    authorizations: owned.authorizations.rows,
    collections: owned.collections.rows,
  }
  const publisher = buildPartialPublisher(old, fresh, rows, added)
  const gone = new Set<unknown>([...losses, ...properties, ...gains, ...collections])
  const isLeft = (change: unknown) => !gone.has(change)
  return {
    rows: { ...rows, publisher, ...(old.merges && { merges: old.merges }) },
    taken: {
      properties: owned.properties.taken,
      authorizations: owned.authorizations.taken,
      collections: owned.collections.taken,
    },
    remaining: {
      properties: changes.properties.filter(isLeft),
      authorizations: changes.authorizations.filter(isLeft),
      collections: changes.collections.filter(isLeft),
    },
  }
}

/** Tells whether a publisher's first answer is still being applied. */
export function isFirstInProgress(publisher: PublisherRow | undefined): boolean {
  return publisher !== undefined && Object.keys(publisher.fields).length === 0
}

/** Applies changes to rows; returns the rows, and the changes in the order of `diff`. */
function applyChanges<Row extends { changed_at: string; seq: number }>(
  before: readonly Row[],
  changes: readonly Change<Row>[],
  key: (row: Row) => string,
  { now, seq }: Pick<RowStamp, 'now' | 'seq'>,
): { rows: Row[]; taken: Change<Row>[] } {
  const after = new Map(before.map(row => [key(row), row]))
  const arrived = new Map<string, Change<Row>>()
  const removed = new Map<string, Change<Row>>()
  for (const change of changes) {
    if (change.kind === 'removed') {
      after.delete(key(change.old))
      removed.set(key(change.old), change)
      continue
    }
    const row = { ...change.row, changed_at: toIso(now), seq }
    after.set(key(row), row)
    arrived.set(key(row), { ...change, row })
  }
  const inOrder = (rows: Iterable<Row>, some: ReadonlyMap<string, Change<Row>>) =>
    some.size === 0 ? [] : [...rows].flatMap(row => some.get(key(row)) ?? [])
  const taken = [...inOrder(after.values(), arrived), ...inOrder(before, removed)]
  return { rows: [...after.values()], taken }
}

function buildPartialPublisher(
  old: PublisherRows,
  fresh: PublisherRows & { publisher: PublisherRow },
  { properties, authorizations, collections }: Omit<PublisherRows, 'publisher'>,
  added: readonly string[],
): PublisherRow {
  const granted = new Set(authorizations.flatMap(row => (row.in_force ? row.agent_url : [])))
  return {
    ...fresh.publisher,
    fields: old.publisher?.fields ?? {},
    agent_count: granted.size,
    property_count: countActive(properties),
    collection_count: countActive(collections),
    listed_agents: buildPartialListing(old, fresh, granted, added),
  }
}

/**
 * Builds the listing between two portions: an agent that is in the graph before and after stays in it,
 * though nothing is granted to it meanwhile.
 */
function buildPartialListing(
  old: PublisherRows,
  { publisher, authorizations }: PublisherRows & { publisher: PublisherRow },
  granted: ReadonlySet<string>,
  added: readonly string[],
): string[] {
  const retained = new Set([
    ...publisher.listed_agents,
    ...authorizations.map(({ agent_url }) => agent_url),
  ])
  const listed = [...listAgents(old)].filter(agent => retained.has(agent))
  return sortDistinct([...listed, ...added].filter(agent => !granted.has(agent)))
}

function listAddedAgents(old: PublisherRows, { publisher }: PublisherRows): string[] {
  const listed = publisher?.listed_agents ?? []
  if (listed.length === 0) return []
  const known = listAgents(old)
  return listed.filter(agent => !known.has(agent))
}

function listAgents({ publisher, authorizations }: PublisherRows): Set<string> {
  return new Set([
    ...(publisher?.listed_agents ?? []),
    ...authorizations.flatMap(row => (row.in_force ? row.agent_url : [])),
  ])
}

function countActive(rows: readonly { status: string }[]): number {
  return rows.filter(({ status }) => status === 'active').length
}
