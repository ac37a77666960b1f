import { toIso } from '../core/clock.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

/** The caller of a crawl request and their organization. */
export interface RequesterRow {
  crawl_request_id: string
  requested_by: string
  org_id: string | null
}

export function recordRequester(
  db: Sqlite,
  operation: OperationOf<'crawl.request'>,
  { now, seq }: AccountStamp,
): Answer {
  const { crawl_request_id, scope, domain, requested_by, org_id } = operation
  const request = { crawl_request_id, scope, domain, requested_by, org_id: org_id ?? null }
  db.insert('crawl_requests', [{ ...request, requested_at: toIso(now), seq }])
  return { done: { crawl_request_id, domain } }
}

/** Lists the callers of these crawl requests. */
export function listRequesters(db: Sqlite, crawlRequestIds: readonly string[]): RequesterRow[] {
  return db.all(
    `select crawl_request_id, requested_by, org_id from crawl_requests
     where crawl_request_id in (select value from json_each($ids))`,
    { ids: JSON.stringify(crawlRequestIds) },
  )
}

export const crawlRequestDefinitions: OperationDefinitions<'crawl.request'> = {
  'crawl.request': {
    perform: recordRequester,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the files are already requested',
  },
}
