import { type Instant, toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import type { Limits } from '../../core/limits.ts'
import type { Database } from '../../store/database.ts'

interface RefreshQuery {
  now: Instant
  limit: number
  /** Domains to leave out. */
  besides: readonly string[]
  limits: Pick<Limits, 'enrichedDays' | 'enrichedDaysMost'>
}

/** Lists brands that the registry found out about itself and has to look for again (`computeRefreshTime`), the longest due first. */
export async function listBrandsToRefresh(
  db: Database,
  { now, limit, besides, limits: { enrichedDays: least, enrichedDaysMost: most } }: RefreshQuery,
): Promise<Domain[]> {
  const rows = await db.all<{ domain: Domain }>(
    `select domain from (
       select e.domain, ms(document ->> '$.enrichment.found_at') as found_at,
         ms(document ->> '$.enrichment.unchanged_since') as since
       from entries e where e.domain in (select domain from brands where source = 'enriched')
         and e.entity = 'brand' and e.source = 'enriched' and e.status = 'live')
     where found_at + min(max(coalesce(found_at - since, 0), $least * 86400000), $most * 86400000)
         <= ms($now)
       and domain not in (select value from json_each($besides))
     order by found_at, domain limit $limit`,
    { now: toIso(now), limit, besides: JSON.stringify(besides), least, most },
  )
  return rows.map(({ domain }) => domain)
}
