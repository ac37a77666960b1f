import { loadAgentRuns } from '../../accounts/agents/storyboard-runs.ts'
import { listRequesters } from '../../accounts/crawl-requests.ts'
import type { CrawlRequestRow } from '../../model/crawl-request.ts'
import { toJsonValue } from '../document-value.ts'
import { hashAgent } from '../keys.ts'
import type { RowProjection } from './projection.ts'

/** Crawl requests with their callers, so that readers can refuse everybody else. */
export const crawlRequestProjection: RowProjection = {
  store: 'index',
  tables: ['crawl_requests'],
  changed: 'seq > $seq',
  slicedBy: 'crawl_request_id',
  from: 'crawl_requests',
  async project({ index, accounts }, where, parameters) {
    const rows = await index.all<CrawlRequestRow>(
      `select * from crawl_requests where ${where}`,
      parameters,
    )
    if (rows.length === 0) return []
    const ids = rows.map(({ crawl_request_id }) => crawl_request_id)
    const requesters = new Map(
      listRequesters(accounts.db, ids).map(row => [row.crawl_request_id, row]),
    )
    return rows.map(({ seq: _, ...row }) => ({
      space: 'crawl_request',
      key: row.crawl_request_id,
      value: toJsonValue({ ...row, ...requesters.get(row.crawl_request_id) }),
    }))
  },
}

/** Projects runs of storyboards by their agent, without their callers. */
export const agentRunProjection: RowProjection = {
  store: 'accounts',
  tables: ['storyboard_runs'],
  changed: 'seq > $seq',
  slicedBy: 'agent_url',
  from: 'storyboard_runs',
  project({ accounts }, where, parameters) {
    const agents = loadAgentRuns(accounts.db, where, parameters)
    return agents.map(runs => ({
      space: 'agent_run',
      key: hashAgent(runs.agent_url),
      value: toJsonValue(runs),
    }))
  },
}
