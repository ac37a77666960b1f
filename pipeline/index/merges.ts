import { isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { united } from '../diff/merges.ts'
import { type FacetCount, reachDelta } from '../diff/reach.ts'
import type { Stamp } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { AliasRow } from '../model/rows.ts'
import type { Submission } from '../model/submission.ts'
import { aliasesOf, markAgents } from './aliases.ts'
import { goneOf, recordChanges } from './changes.ts'
import { type Database, listOf } from './duckdb.ts'
import { type Merge, type MergeRow, type Merging, mergeKinds, mergeRows } from './merge-records.ts'
import { loadPublishers } from './publisher-rows.ts'
import { deleteRows } from './rows.ts'

/** What merges came to: whose answers must be derived again, and what agents reach now. */
export interface Merged {
  aliases: string[]
  publishers: Domain[]
  reached: FacetCount[]
  events: EventDraft[]
}

export const noneMerged: Merged = { aliases: [], publishers: [], reached: [], events: [] }

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
  const { kind, eventOf } = mergeKinds[merge.op]
  const aliases = await aliasesOf(db, kind, [merge.alias_rid, merge.canonical_rid])
  const canonical_rid = aliases.get(merge.canonical_rid) ?? merge.canonical_rid
  const merging = { alias_rid: merge.alias_rid, canonical_rid, evidence: merge.evidence }
  const rows = await mergeRows(db, merge.op, [merging.alias_rid, canonical_rid])
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
  const { table, rid } = mergeKinds[op]
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
  const { table, count } = mergeKinds[op]
  await db.run(
    `update publishers set seq = $seq, ${count} = (select count(*) from ${table} r
       where r.publisher_domain = publishers.domain and r.status = 'active')
     where domain in (select unnest(${listOf('$domains')}))`,
    { seq, domains: JSON.stringify(domains) },
  )
  await recordChanges(db, seq, { publisher: domains })
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
