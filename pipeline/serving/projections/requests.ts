import type { CrawlRequestRow } from '../../model/crawl-request.ts'
import { toJsonValue } from '../document-value.ts'
import type { RowProjection } from './projection.ts'

/** Crawl requests and their results. Who made them is private, and readers look it up. */
export const crawlRequestProjection: RowProjection = {
  store: 'index',
  tables: ['crawl_requests'],
  changed: 'seq > $seq',
  slicedBy: 'crawl_request_id',
  from: 'crawl_requests',
  async project({ index }, where, parameters) {
    const rows = await index.all<CrawlRequestRow>(
      `select * from crawl_requests where ${where}`,
      parameters,
    )
    return rows.map(({ seq: _, ...row }) => ({
      space: 'crawl_request',
      key: row.crawl_request_id,
      value: toJsonValue(row),
    }))
  },
}
