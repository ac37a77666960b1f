import { type Instant, toIso } from '../../core/clock.ts'
import { ATTEMPTS_MAX } from '../../diff/crawl-request.ts'
import type { CrawlRequestRow, CrawlRequestStatus } from '../../model/crawl-request.ts'
import { toUrl } from '../../model/observation.ts'
import type { Reader } from '../reader.ts'
import type { PrivateReader } from './private-rows.ts'
import { findRecord } from './records.ts'

export interface StoredCrawlRequest extends Omit<CrawlRequestRow, 'seq'> {
  requested_by: string
  org_id: string | null
}

export function findCrawlRequest(reader: Reader, id: string): StoredCrawlRequest | undefined {
  const request = findRecord<Omit<CrawlRequestRow, 'seq'>>(reader, 'crawl_request', id)
  const requester = reader.record?.one<Pick<StoredCrawlRequest, 'requested_by' | 'org_id'>>(
    'select requested_by, org_id from crawl_requests where crawl_request_id = $id',
    { id },
  )
  return request && requester && { ...request, ...requester }
}

/** Finds the id of the last request for the files of a domain, whoever made it. */
export function findLastCrawlRequest({ record }: PrivateReader, domain: string) {
  const last = record?.one<Pick<StoredCrawlRequest, 'crawl_request_id'>>(
    `select crawl_request_id from crawl_requests
     where domain = $domain and scope != 'manager' order by seq desc limit 1`,
    { domain },
  )
  return last?.crawl_request_id
}

/**
 * Converts a crawl request to the status that its caller sees. A pause that has passed counts as ended: the
 * files are being fetched.
 */
export function crawlRequestStatus(request: StoredCrawlRequest, now: Instant): CrawlRequestStatus {
  const { next_attempt_at, files } = request
  const isDue = next_attempt_at !== null && next_attempt_at <= toIso(now)
  return {
    crawl_request_id: request.crawl_request_id,
    domain: request.domain,
    status: isDue ? 'running' : request.status,
    attempts: request.attempts,
    max_attempts: ATTEMPTS_MAX,
    requested_at: request.requested_at,
    started_at: request.started_at,
    last_attempted_at: request.last_attempted_at,
    completed_at: request.completed_at,
    next_attempt_at: isDue ? null : next_attempt_at,
    last_error_code: request.last_error_code,
    outcome: files.map(({ kind, location, outcome, attempts, http_status, attempted_at }) => ({
      file: kind,
      url: toUrl({ kind, location }),
      outcome,
      attempts,
      http_status,
      attempted_at,
    })),
  }
}
