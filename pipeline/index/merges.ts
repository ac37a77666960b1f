import { isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { authorizationEvents } from '../diff/authorization-events.ts'
import { collectionMerged, propertyMerged } from '../diff/merge-events.ts'
import { united } from '../diff/merges.ts'
import { type FacetCount, reachDelta } from '../diff/reach.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { AliasRow, AuthorizationRow, CollectionRow, PropertyRow } from '../model/rows.ts'
import type { OperationOf, Submission } from '../model/submission.ts'
import { aliasesOf, markAgents } from './aliases.ts'
import { goneOf, recordChanges } from './changes.ts'
import { type Database, listOf } from './duckdb.ts'
import { loadPublishers } from './publishers.ts'
import { deleteRows } from './rows.ts'
import { elsewhereKey } from './serving-keys.ts'

type Merge = OperationOf<'property.merge' | 'collection.merge'>

/** What merges came to: whose answers must be derived again, and what agents reach now. */
export interface Merged {
  aliases: string[]
  publishers: Domain[]
  reached: FacetCount[]
  events: EventDraft[]
}

export const noneMerged: Merged = { aliases: [], publishers: [], reached: [], events: [] }

const kinds = {
  'property.merge': {
    kind: 'property',
    table: 'properties',
    rid: 'property_rid',
    count: 'property_count',
    eventOf: (merged: Merging, row: unknown) => propertyMerged(merged, row as PropertyRow),
  },
  'collection.merge': {
    kind: 'collection',
    table: 'collections',
    rid: 'collection_rid',
    count: 'collection_count',
    eventOf: (merged: Merging, row: unknown) => collectionMerged(merged, row as CollectionRow),
  },
} as const

interface Merging {
  alias_rid: string
  canonical_rid: string
  evidence: string | undefined
}

/** What both kinds of records have. */
type MergeRow = Pick<PropertyRow | CollectionRow, 'publisher_domain' | 'identifiers' | 'status'>

/**
 * Carries out merges that were not refused, each with its event. The records are changed here; what
 * follows for their publishers is derived again in the same commit, by the rules of every night. A
 * merge that other merges have overtaken goes to where its canonical record went.
 */
export async function takeMerges(
  db: Database,
  submissions: readonly Submission[],
  stamp: Stamp,
): Promise<Merged> {
  const done: Merged = { aliases: [], publishers: [], reached: [], events: [] }
  for (const merge of submissions.flatMap(mergeOf)) {
    const { aliases, publishers, reached, events } = await takeMerge(db, merge, stamp)
    done.aliases.push(...aliases)
    done.publishers.push(...publishers)
    done.reached.push(...reached)
    done.events.push(...events)
  }
  return done
}

function mergeOf({ operation }: Submission): Merge[] {
  return operation.op === 'property.merge' || operation.op === 'collection.merge' ? [operation] : []
}

async function takeMerge(db: Database, merge: Merge, stamp: Stamp): Promise<Merged> {
  const { kind, eventOf } = kinds[merge.op]
  const aliases = await aliasesOf(db, kind, [merge.alias_rid, merge.canonical_rid])
  const canonical_rid = aliases.get(merge.canonical_rid) ?? merge.canonical_rid
  const merging = { alias_rid: merge.alias_rid, canonical_rid, evidence: merge.evidence }
  const rows = await rowsOf(db, merge.op, [merging.alias_rid, canonical_rid])
  const [alias, canonical] = [rows.get(merging.alias_rid), rows.get(canonical_rid)]
  const isOver = aliases.has(merging.alias_rid) || merging.alias_rid === canonical_rid
  if (isOver || !alias || !canonical) return noneMerged
  const owners = [...new Set([alias.publisher_domain, canonical.publisher_domain])] as Domain[]
  const before = await loadPublishers(db, owners)
  await recordAlias(db, kind, merging, stamp)
  const row = await joinRows(db, merge.op, { alias, canonical }, stamp)
  await countAgain(db, merge.op, owners, stamp)
  const after = await loadPublishers(db, owners)
  for (const domain of owners) {
    await recordChanges(db, stamp.seq, { ...goneOf(before.get(domain)!, after.get(domain)!) })
  }
  const reached = owners.flatMap(domain => reachDelta(before.get(domain)!, after.get(domain)!))
  reached.push(...(await markAgents(db, [merging.alias_rid, canonical_rid], [])))
  const publishers = [...owners, ...(await grantersOf(db, merging.alias_rid))]
  return { aliases: [merging.alias_rid], publishers, reached, events: [eventOf(merging, row)] }
}

/** Whatever led to the new alias leads to where it leads: no answer takes two steps. */
async function recordAlias(
  db: Database,
  kind: AliasRow['kind'],
  { alias_rid, canonical_rid, evidence }: Merging,
  { now, seq }: Stamp,
): Promise<void> {
  await db.run(
    `update aliases set canonical_rid = $canonical_rid, seq = $seq
     where kind = '${kind}' and canonical_rid = $alias_rid`,
    { canonical_rid, alias_rid, seq },
  )
  const merged_at = isoOf(now)
  const row: AliasRow = {
    kind,
    alias_rid,
    canonical_rid,
    evidence: evidence ?? null,
    merged_at,
    seq,
  }
  await db.insert('aliases', [row])
}

/** The alias is removed and keeps what it declared; the canonical record answers for that too. */
async function joinRows(
  db: Database,
  op: Merge['op'],
  { alias, canonical }: Record<'alias' | 'canonical', MergeRow>,
  { now, seq }: Stamp,
): Promise<MergeRow> {
  const { table, rid } = kinds[op]
  const stamped = { changed_at: isoOf(now), seq }
  const identifiers = united(canonical.identifiers, alias.identifiers)
  const whole = { ...canonical, identifiers, ...stamped } as MergeRow
  const rows = [{ ...alias, status: 'removed', ...stamped }, whole]
  const rids = rows.map(row => (row as unknown as Record<string, string>)[rid]!)
  await deleteRows(db, table, rid, rids)
  await db.insert(table, rows)
  return whole
}

async function countAgain(
  db: Database,
  op: Merge['op'],
  domains: readonly string[],
  { seq }: Stamp,
): Promise<void> {
  const { table, count } = kinds[op]
  await db.run(
    `update publishers set seq = $seq, ${count} = (select count(*) from ${table} r
       where r.publisher_domain = publishers.domain and r.status = 'active')
     where domain in (select unnest(${listOf('$domains')}))`,
    { seq, domains: JSON.stringify(domains) },
  )
  await recordChanges(db, seq, { publisher: domains })
}

/**
 * Grants that still reach an alias reach the canonical property now: those of publishers whose files
 * lead nowhere at present, so that nothing was derived again.
 */
export async function moveGrants(
  db: Database,
  aliases: readonly string[],
  stamp: Stamp,
): Promise<EventDraft[]> {
  if (aliases.length === 0) return []
  const leads = await aliasesOf(db, 'property', aliases)
  const old = await db.all<AuthorizationRow>(
    `select * from authorizations
     where list_has_any(property_rids::varchar[], ${listOf('$aliases')}) order by entry, id`,
    { aliases: JSON.stringify(aliases) },
  )
  const changed_at = isoOf(stamp.now)
  const rows = old.map(row => {
    const property_rids = [...new Set(row.property_rids.map(rid => leads.get(rid) ?? rid))].sort()
    return { ...row, property_rids, changed_at, seq: stamp.seq }
  })
  const ids = old.map(row => row.id)
  await deleteRows(db, 'authorizations', 'id', ids)
  await db.insert('authorizations', rows)
  const touched = [...new Set(old.map(row => row.publisher_domain))]
  const identifier = touched.flatMap(domain => aliases.map(rid => elsewhereKey(rid, domain)))
  await recordChanges(db, stamp.seq, { publisher: touched, identifier })
  return rows.flatMap((row, i) => {
    const fields = ['property_rids']
    return authorizationEvents({ kind: 'changed', old: old[i]!, row, fields }, stamp)
  })
}

/** Publishers whose grants reach a property. */
async function grantersOf(db: Database, rid: string): Promise<Domain[]> {
  const rows = await db.all<{ domain: Domain }>(
    `select distinct publisher_domain as domain from authorizations
     where list_contains(property_rids, $rid::uuid) order by domain`,
    { rid },
  )
  return rows.map(({ domain }) => domain)
}

async function rowsOf(
  db: Database,
  op: Merge['op'],
  rids: readonly string[],
): Promise<Map<string, MergeRow & { classification?: string }>> {
  const { table, rid } = kinds[op]
  const rows = await db.all<Record<string, string> & MergeRow>(
    `select * from ${table} where ${rid}::varchar in (select unnest(${listOf('$rids')}))`,
    { rids: JSON.stringify(rids) },
  )
  return new Map(rows.map(row => [row[rid]!, row]))
}

/**
 * Which merges cannot be carried out, and why, by submission. Each is judged as if those before it
 * that can be were carried out.
 */
export async function refusedMerges(
  db: Database,
  submissions: readonly Submission[],
): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  const once = new Map(submissions.map(submission => [submission.submission_id, submission]))
  for (const op of ['property.merge', 'collection.merge'] as const) {
    const merges = [...once.values()].flatMap(({ submission_id, operation }) =>
      operation.op === op ? [{ ...operation, submission_id }] : [],
    )
    if (merges.length === 0) continue
    const rids = merges.flatMap(({ alias_rid, canonical_rid }) => [alias_rid, canonical_rid])
    const rows = await rowsOf(db, op, rids)
    const aliases = await aliasesOf(db, kinds[op].kind, rids)
    for (const merge of merges) {
      const reason = refusalOf(merge, rows, aliases)
      if (reason === undefined) settle(aliases, merge)
      else refused.set(merge.submission_id, reason)
    }
  }
  return refused
}

function settle(aliases: Map<string, string>, { alias_rid, canonical_rid }: Merge): void {
  for (const [alias, canonical] of aliases) {
    if (canonical === alias_rid) aliases.set(alias, canonical_rid)
  }
  aliases.set(alias_rid, canonical_rid)
}

function refusalOf(
  { op, alias_rid, canonical_rid }: Merge,
  rows: ReadonlyMap<string, { classification?: string }>,
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const { kind } = kinds[op]
  const unknown = [alias_rid, canonical_rid].find(rid => !rows.has(rid))
  if (unknown !== undefined) return `no ${kind} has the rid ${unknown}`
  if (alias_rid === canonical_rid) return `a ${kind} cannot be merged into itself`
  const merged = aliases.get(alias_rid)
  if (merged !== undefined) return `${alias_rid} was merged into ${merged} already`
  const further = aliases.get(canonical_rid)
  if (further !== undefined) return `${canonical_rid} was merged into ${further}: name that one`
  const [one, other] = [rows.get(alias_rid), rows.get(canonical_rid)]
  if (one?.classification === other?.classification) return undefined
  return `one is classified ${one?.classification}, the other ${other?.classification}`
}
