import { z } from 'zod'
import type { Instant } from '../core/clock.ts'
import { outcomeNames } from '../core/outcomes.ts'
import type { SourceKind } from './documents/index.ts'
import { type Source, sourceKinds } from './observation.ts'

/** Scopes of a crawl request: both files of a domain, one of them, or the file of a manager. */
export const crawlScopes = ['domain', 'brand', 'manager'] as const
export type CrawlScope = (typeof crawlScopes)[number]

/** The domain's own files that a request is about. */
export const ownFiles = {
  domain: ['brand.json', 'adagents.json'],
  brand: ['brand.json'],
  manager: ['adagents.json'],
} as const satisfies Record<CrawlScope, readonly SourceKind[]>

export const crawlStatuses = [
  'queued',
  'running',
  'retrying',
  'deferred',
  'completed',
  'invalid',
  'failed',
] as const
export type CrawlStatus = (typeof crawlStatuses)[number]

/** Result of an attempt: its outcome, or that the observation could not be committed. */
export const requestOutcomes = [...outcomeNames, 'quarantined'] as const
export type RequestOutcome = (typeof requestOutcomes)[number]

/** Progress of one file of a request. Times as ISO text. */
export interface RequestedFile extends Source {
  attempts: number
  outcome: RequestOutcome | null
  http_status: number | null
  attempted_at: string | null
  /** Set while it will be fetched again; `deferred`: at a time the server named. */
  next_attempt_at: string | null
  deferred: boolean
}

/** A row of `crawl_requests`. */
export interface CrawlRequestRow {
  crawl_request_id: string
  scope: CrawlScope
  domain: string
  status: CrawlStatus
  attempts: number
  requested_at: string
  requested_seq: number
  started_at: string | null
  last_attempted_at: string | null
  completed_at: string | null
  next_attempt_at: string | null
  last_error_code: string | null
  publishers: number | null
  files: RequestedFile[]
  seq: number
}

/** Represents an applied attempt to read one file. */
export interface Attempt extends Source {
  at: Instant
  outcome: RequestOutcome
  status: number | null
  /** The attempt began after this commit. */
  after_seq: number
  /** Time before which the server does not want another request, if it gave one. */
  not_before: Instant | null
}

const text = z.string()
const time = z.iso.datetime()

const CrawlRequestId = z.uuid().describe('ID for querying the state of the crawl')
const Attempts = z.int().nonnegative().describe('Number of attempts so far, including failed ones')

export const CrawlAccepted = z
  .looseObject({
    message: text.describe('What was accepted, in a sentence'),
    domain: text.describe('Domain whose files are crawled next, normalized'),
    crawl_request_id: CrawlRequestId,
  })
  .meta({ id: 'CrawlAccepted', description: 'A crawl that was accepted and runs soon' })

export const ManagerRevalidationAccepted = z
  .looseObject({
    message: text.describe('What was accepted, in a sentence'),
    manager_domain: text.describe('Domain whose file is crawled next, normalized'),
    publishers_enqueued: z
      .int()
      .nonnegative()
      .describe('Number of publishers whose inventory is read from the file'),
    crawl_request_id: CrawlRequestId,
  })
  .meta({
    id: 'ManagerRevalidationAccepted',
    description: 'A crawl of a manager’s file that was accepted and runs soon',
  })

export const CrawlRequestStatus = z
  .looseObject({
    crawl_request_id: CrawlRequestId,
    domain: text.describe('Domain whose files are crawled'),
    status: z
      .enum(crawlStatuses)
      .describe('State of the request; `completed`, `invalid` and `failed` are final'),
    attempts: Attempts,
    max_attempts: z.int().describe('Number of attempts after which the registry gives up'),
    requested_at: time.describe('Time of the request'),
    started_at: time.nullable().describe('Time of the first attempt; null if there was none'),
    last_attempted_at: time.nullable().describe('Time of the last attempt; null before the first'),
    completed_at: time.nullable().describe('Time at which the request ended; null until then'),
    next_attempt_at: time.nullable().describe('Time of the next attempt; null if there is none'),
    last_error_code: text
      .nullable()
      .describe('Why the last attempt failed, in one word; null if none did'),
    outcome: z
      .array(
        z.looseObject({
          file: z.enum(sourceKinds).describe('Type of file, such as `adagents.json`'),
          url: text.describe('URL from which the file is fetched'),
          outcome: z
            .enum(requestOutcomes)
            .nullable()
            .describe('Outcome of the last attempt, in one word; null before the first'),
          attempts: Attempts,
          http_status: z
            .int()
            .nullable()
            .describe('HTTP status of the last attempt; null if there was no response'),
          attempted_at: time.nullable().describe('Time of the last attempt; null before the first'),
        }),
      )
      .describe('Outcome for each file of the request'),
  })
  .meta({ id: 'CrawlRequestStatus', description: 'State of a crawl request' })
export type CrawlRequestStatus = z.infer<typeof CrawlRequestStatus>
