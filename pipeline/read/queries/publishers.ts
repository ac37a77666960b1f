import { stripNulls } from '../../diff/events.ts'
import type { PlacementEntry } from '../../model/documents/index.ts'
import type { PlacementItem } from '../../model/responses/index.ts'
import { foundPublishers } from '../../search/search-entries.ts'
import { cutFormats } from '../../serving/brand-card.ts'
import { toListExpression } from '../../store/columnar/duckdb-values.ts'
import type { Snapshot } from '../reader.ts'

/** Lists the placements of a publisher's file, in its order. */
export async function listPlacements({ db }: Snapshot, domain: string): Promise<PlacementItem[]> {
  const row = await db.one<{ placements: PlacementEntry[] | null }>(
    `select catalog->'placements' as placements from publishers where domain = $domain`,
    { domain },
  )
  return (row?.placements ?? []).map(toPlacementItem)
}

/** Loads a part of the formats of a publisher's file, in its order. */
export async function loadFormats({ db }: Snapshot, domain: string, start: number) {
  const row = await db.one<{ formats: unknown[] | null }>(
    `select catalog->'formats' as formats from publishers where domain = $domain`,
    { domain },
  )
  return cutFormats(row?.formats ?? [], start)
}

function toPlacementItem({ manifest, ...placement }: PlacementEntry): PlacementItem {
  const { description, channels, format_options } = manifest
  const more = { description, channels, format_options, source: 'adagents_json' }
  const shown = Object.entries(more).filter(([, value]) => value !== undefined)
  return stripNulls({ ...placement, ...Object.fromEntries(shown) }) as PlacementItem
}

export interface ListedPublisher {
  domain: string
  agent_count: number
  /** Last time at which its file was valid; ISO 8601. */
  last_validated: string | null
}

const LISTED = `
with page as (select domain, agent_count, resolved_location from publishers
  where valid and domain > $after order by domain limit $limit)
select domain, agent_count::double as agent_count, s.succeeded_at as last_validated
from page left join crawl_state s on s.kind = 'adagents.json' and s.location = resolved_location
order by domain`

/** Lists publishers with a valid file by domain, from after a given one. */
export function listPublishers(
  { db }: Snapshot,
  page: { after: string; limit: number },
): Promise<ListedPublisher[]> {
  return db.all(LISTED, page)
}

/** Counts the domains of a list that are publishers with a valid file. */
export async function countPublishers(
  { db }: Snapshot,
  domains: readonly string[],
): Promise<number> {
  const row = await db.oneOrThrow<{ n: number }>(
    `select count(*)::double as n from publishers
     where valid and domain in (select unnest(${toListExpression('$domains')}))`,
    { domains: JSON.stringify(domains) },
  )
  return row.n
}

/** Finds the domains of a list that are publishers which a search shows, by domain. */
export async function findPublishers(
  { db }: Snapshot,
  domains: readonly string[],
  limit: number,
): Promise<string[]> {
  if (domains.length === 0) return []
  const rows = await db.all<{ domain: string }>(
    `select domain from ${foundPublishers}
     where domain in (select unnest(${toListExpression('$domains')})) order by domain limit $limit`,
    { domains: JSON.stringify(domains), limit },
  )
  return rows.map(({ domain }) => domain)
}
