import type { CrawlRequestRow } from '../../model/crawl-request.ts'
import { requesters as requestersOf } from '../accounts/crawl-requests.ts'
import type { Accounts } from '../accounts.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

/** Who asked is kept with what is told, so that nobody else is told. */
export async function crawlRequestEntries(
  index: Database,
  accounts: Accounts,
  { requests, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<CrawlRequestRow>(
    `select * from crawl_requests where ${requests}`,
    parameters,
  )
  if (rows.length === 0) return []
  const ids = rows.map(({ crawl_request_id }) => crawl_request_id)
  const requesters = new Map(
    (await requestersOf(accounts.db, ids)).map(row => [row.crawl_request_id, row]),
  )
  return rows.map(({ seq: _, ...row }) => ({
    space: 'crawl_request',
    key: row.crawl_request_id,
    value: Buffer.from(JSON.stringify({ ...row, ...requesters.get(row.crawl_request_id) })),
  }))
}
