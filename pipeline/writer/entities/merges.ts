import { toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { getOrThrow, requireValue } from '../../core/present.ts'
import { uniteIdentifiers } from '../../diff/merges.ts'
import { diffReach, type FacetCount } from '../../diff/reach.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { AliasRow } from '../../model/rows.ts'
import { listGoneKeys } from '../../serving/gone-keys.ts'
import { loadAliases, markAgents } from '../../store/aliases.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { deleteRows } from '../../store/row-writes.ts'
import {
  loadMergeRows,
  type Merge,
  type MergedRecord,
  type MergeRow,
  mergeKinds,
} from './merge-records.ts'
import { loadPublishers } from './publisher-rows.ts'

/** Result of merges: whose answers must be derived again, and the new reach of agents. */
export interface Merged {
  aliases: string[]
  publishers: Domain[]
  reached: FacetCount[]
  events: EventDraft[]
}

export const noneMerged: Merged = { aliases: [], publishers: [], reached: [], events: [] }

/**
 * Carries out merges that were not refused, each with its event. The records are changed here; their
 * publishers are derived again in the same commit, by the same rules as after a crawl. If the canonical
 * record has itself been merged since, the merge leads to that record's canonical one.
 */
export async function applyMerges(
  db: Database,
  merges: readonly Merge[],
  stamp: RowStamp,
): Promise<Merged> {
  const done: Merged = { aliases: [], publishers: [], reached: [], events: [] }
  for (const merge of merges) {
    const { aliases, publishers, reached, events } = await applyMerge(db, merge, stamp)
    done.aliases.push(...aliases)
    done.publishers.push(...publishers)
    done.reached.push(...reached)
    done.events.push(...events)
  }
  return done
}

async function applyMerge(db: Database, merge: Merge, stamp: RowStamp): Promise<Merged> {
  const { kind, createEvent } = mergeKinds[merge.op]
  const aliases = await loadAliases(db, kind, [merge.alias_rid, merge.canonical_rid])
  const canonical_rid = aliases.get(merge.canonical_rid) ?? merge.canonical_rid
  const merging = { alias_rid: merge.alias_rid, canonical_rid, evidence: merge.evidence }
  const rows = await loadMergeRows(db, merge.op, [merging.alias_rid, canonical_rid])
  const [alias, canonical] = [rows.get(merging.alias_rid), rows.get(canonical_rid)]
  const isMergedAlready = aliases.has(merging.alias_rid) || merging.alias_rid === canonical_rid
  if (isMergedAlready || !alias || !canonical) return noneMerged
  const owners = [...new Set([alias.publisher_domain, canonical.publisher_domain])] as Domain[]
  const before = await loadPublishers(db, owners)
  await recordAlias(db, kind, merging, stamp)
  const row = await joinRows(db, merge.op, { alias, canonical }, stamp)
  await updateActiveCounts(db, merge.op, owners, stamp)
  const after = await loadPublishers(db, owners)
  for (const domain of owners) {
    await recordChanges(db, stamp.seq, {
      ...listGoneKeys(getOrThrow(before, domain), getOrThrow(after, domain)),
    })
  }
  const reached = owners.flatMap(domain =>
    diffReach(getOrThrow(before, domain), getOrThrow(after, domain)),
  )
  reached.push(...(await markAgents(db, [merging.alias_rid, canonical_rid], [])))
  const publishers = [...owners, ...(await listGranters(db, merging.alias_rid))]
  return { aliases: [merging.alias_rid], publishers, reached, events: [createEvent(merging, row)] }
}

/**
 * Records an alias. Aliases of it are redirected to its target, so that no lookup takes two steps.
 */
async function recordAlias(
  db: Database,
  kind: AliasRow['kind'],
  { alias_rid, canonical_rid, evidence }: MergedRecord,
  { now, seq }: RowStamp,
): Promise<void> {
  await db.write(
    'update',
    'aliases',
    `set canonical_rid = $canonical_rid, seq = $seq
     where kind = '${kind}' and canonical_rid = $alias_rid`,
    { canonical_rid, alias_rid, seq },
  )
  const merged_at = toIso(now)
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

/**
 * Joins two rows: the alias is marked as removed and keeps its declarations, which now also count for the
 * canonical record.
 */
async function joinRows(
  db: Database,
  op: Merge['op'],
  { alias, canonical }: Record<'alias' | 'canonical', MergeRow>,
  { now, seq }: RowStamp,
): Promise<MergeRow> {
  const { table, rid } = mergeKinds[op]
  const stamped = { changed_at: toIso(now), seq }
  const identifiers = uniteIdentifiers(canonical.identifiers, alias.identifiers)
  const joined = { ...canonical, identifiers, ...stamped } as MergeRow
  const rows = [{ ...alias, status: 'removed', ...stamped }, joined]
  const rids = rows.map(row => requireValue((row as unknown as Record<string, string>)[rid], rid))
  await deleteRows(db, table, rid, rids)
  await db.insert(table, rows)
  return joined
}

async function updateActiveCounts(
  db: Database,
  op: Merge['op'],
  domains: readonly string[],
  { seq }: RowStamp,
): Promise<void> {
  const { table, count } = mergeKinds[op]
  await db.write(
    'update',
    'publishers',
    `set seq = $seq, ${count} = (select count(*) from ${table} r
       where r.publisher_domain = publishers.domain and r.status = 'active')
     where domain in (select value from json_each($domains))`,
    { seq, domains: JSON.stringify(domains) },
  )
  await recordChanges(db, seq, { publisher: domains })
}

/** Lists publishers whose grants reach a property. */
async function listGranters(db: Database, rid: string): Promise<Domain[]> {
  const rows = await db.all<{ domain: Domain }>(
    `select distinct publisher_domain as domain from property_sets
     where $rid in (select value from json_each(property_rids)) order by domain`,
    { rid },
  )
  return rows.map(({ domain }) => domain)
}
