import type { CrawlRequestRow } from '../../model/crawl-request.ts'
import { toJsonValue } from '../document-value.ts'
import { agentHealthProjection } from './agent-health.ts'
import { freshnessProjection } from './freshness.ts'
import { memberProjection, originProjection } from './members.ts'
import { mirrorProjection } from './mirrors.ts'
import { aliasProjection, documentProjection } from './pointers.ts'
import type { RowProjection } from './projection.ts'

/** Crawl requests and their results. Who made them is private, and readers look it up. */
const crawlRequestProjection: RowProjection = {
  store: 'index',
  tables: ['shown_crawl_requests'],
  changed: 'seq > $seq',
  slicedBy: 'crawl_request_id',
  from: 'shown_crawl_requests',
  async project({ index }, where, parameters) {
    const rows = await index.all<CrawlRequestRow>(
      `select * from shown_crawl_requests where ${where}`,
      parameters,
    )
    return rows.map(({ seq: _, ...row }) => ({
      space: 'crawl_request',
      key: row.crawl_request_id,
      value: toJsonValue(row),
    }))
  },
}

/** All projections whose changed rows are found by a column such as `seq`. */
export const rowProjections: readonly RowProjection[] = [
  freshnessProjection,
  agentHealthProjection,
  documentProjection,
  memberProjection,
  mirrorProjection,
  originProjection,
  aliasProjection,
  crawlRequestProjection,
]
