import { toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { buildIdentityHints, buildSavedRows, mayShowSavedProperties } from '../../diff/hosted.ts'
import { noMerges } from '../../diff/merges.ts'
import type { ChangesToSplit } from '../../diff/portion.ts'
import {
  buildOrphanedRows,
  buildPublisherRows,
  listGranted,
  type PublisherRows,
} from '../../diff/publisher-rows.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import { leftOutLists } from '../../model/documents/index.ts'
import type { HostedProperty } from '../../model/save.ts'
import type { NoPublisher, PublisherFacts } from '../../resolve/publisher.ts'
import type { Database } from '../../store/database.ts'
import { loadLiveEntries, readProperties } from '../../store/entries.ts'
import type { Answered } from './publisher-answers.ts'
import { buildEmptyPublisherRows, loadPublishers } from './publisher-rows.ts'

/** An answer in comparison with the current rows. */
export interface Compared extends Answered {
  merges: PublisherRows['merges']
  old: PublisherRows
  fresh: PublisherRows
  /** Changes that are left of an answer which commits before took on in part. */
  changes?: ChangesToSplit
}

/** Loads the current rows of publishers, and builds those of their answers. */
export async function compare(
  db: Database,
  answered: readonly Answered[],
  stamp: RowStamp,
): Promise<Compared[]> {
  const before = await loadPublishers(
    db,
    answered.map(({ domain }) => domain),
  )
  return compareWith(db, answered, before, stamp)
}

/**
 * Marks the current rows of publishers whose answer is larger than one publisher may be: they stay, except
 * the grants of agents that the file no longer lists, and what they do not have is not known.
 */
export async function compareRefused(
  db: Database,
  refused: readonly Answered[],
  stamp: RowStamp,
): Promise<Compared[]> {
  const before = await loadPublishers(
    db,
    refused.map(({ domain }) => domain),
  )
  return refused.flatMap(({ domain, facts }) => {
    const old = before.get(domain)
    if (old?.publisher === undefined) return []
    const { catalog } = old.publisher
    const stamped = { changed_at: toIso(stamp.now), seq: stamp.seq }
    const marked = { ...catalog, left_out: [...leftOutLists] }
    const listed = new Set(facts.document?.agents.map(({ agent_url }) => agent_url))
    const authorizations = old.authorizations.filter(({ agent_url }) => listed.has(agent_url))
    const publisher = {
      ...old.publisher,
      agent_count: listGranted(authorizations).size,
      listed_agents: old.publisher.listed_agents.filter(agent => listed.has(agent)),
      catalog: marked,
      ...stamped,
    }
    return [
      { domain, facts, merges: old.merges, old, fresh: { ...old, publisher, authorizations } },
    ]
  })
}

/** Builds the rows of answers, if the current ones are loaded already. */
export async function compareWith(
  db: Database,
  answered: readonly Answered[],
  before: ReadonlyMap<string, PublisherRows>,
  stamp: RowStamp,
): Promise<Compared[]> {
  const saved = await loadEntryProperties(db, answered, before)
  return answered.map(({ domain, facts }) => {
    const old = before.get(domain) ?? buildEmptyPublisherRows(undefined)
    const fresh = buildFreshRows(domain, facts, old, saved.get(domain) ?? [], stamp)
    return { domain, facts, merges: old.merges, old, fresh }
  })
}

/** Loads the saved properties of publishers whose file was not valid, or no longer is. */
async function loadEntryProperties(
  db: Database,
  answered: readonly { domain: Domain; facts: PublisherFacts | NoPublisher }[],
  before: ReadonlyMap<string, PublisherRows>,
): Promise<Map<string, HostedProperty[]>> {
  const open = answered.filter(
    ({ domain, facts }) =>
      before.get(domain)?.publisher?.valid !== true ||
      !facts.document ||
      facts.validity !== 'valid',
  )
  const entries = await loadLiveEntries(
    db,
    'property',
    open.map(({ domain }) => domain),
  )
  return new Map([...entries].map(([domain, entry]) => [domain, readProperties(entry)]))
}

/** Builds the rows of a publisher by its file, or by what members saved if no file counts. */
function buildFreshRows(
  domain: Domain,
  facts: PublisherFacts | NoPublisher,
  old: PublisherRows,
  saved: readonly HostedProperty[],
  stamp: RowStamp,
): PublisherRows {
  const rows = buildRowsOfFile(domain, facts, old, saved, stamp)
  if (saved.length === 0 || !mayShowSavedProperties(rows)) return rows
  const merges = old.merges ?? noMerges
  return { ...rows, properties: buildSavedRows(domain, saved, { ...rows, merges }, stamp) }
}

function buildRowsOfFile(
  domain: Domain,
  facts: PublisherFacts | NoPublisher,
  old: PublisherRows,
  saved: readonly HostedProperty[],
  stamp: RowStamp,
): PublisherRows {
  const { publisher } = old
  if (!facts.document)
    return publisher ? buildOrphanedRows(facts, { ...old, publisher }, stamp) : old
  if (saved.length === 0) return buildPublisherRows(domain, facts, old, stamp)
  // A saved property keeps its rid.
  const rids = new Set(saved.map(({ property_rid }) => property_rid))
  const others = old.properties.filter(row => !rids.has(row.property_rid))
  const known = [...others, ...buildIdentityHints(domain, saved, facts.properties)]
  return buildPublisherRows(domain, facts, old, stamp, known)
}
