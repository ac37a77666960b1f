import { toIso } from '../core/clock.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import type { AccountStamp } from './stamp.ts'

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

export const crawlRequestDefinitions: OperationDefinitions<'crawl.request'> = {
  'crawl.request': {
    perform: recordRequester,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the files are already requested',
  },
}
