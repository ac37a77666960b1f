import { isoOf } from '../../core/clock.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import { type Database, listOf } from '../duckdb.ts'
import type { Stamp } from './stamp.ts'

/** Who asked for a crawl, and for which organization. */
export interface RequesterRow {
  crawl_request_id: string
  requested_by: string
  org_id: string | null
}

export async function recordRequester(
  db: Database,
  operation: OperationOf<'crawl.request'>,
  { now, seq }: Stamp,
): Promise<Answer> {
  const { crawl_request_id, scope, domain, requested_by, org_id } = operation
  const request = { crawl_request_id, scope, domain, requested_by, org_id: org_id ?? null }
  await db.insert('crawl_requests', [{ ...request, requested_at: isoOf(now), seq }])
  return { done: { crawl_request_id, domain } }
}

/** Who asked for these crawls. */
export function requesters(
  db: Database,
  crawlRequestIds: readonly string[],
): Promise<RequesterRow[]> {
  return db.all(
    `select crawl_request_id, requested_by, org_id from crawl_requests
     where crawl_request_id in (select unnest(${listOf('$ids')}))`,
    { ids: JSON.stringify(crawlRequestIds) },
  )
}
