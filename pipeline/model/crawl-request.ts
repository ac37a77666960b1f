import { z } from 'zod'
import type { Instant } from '../core/clock.ts'
import { outcomeNames } from '../core/outcomes.ts'
import type { SourceKind } from './documents.ts'
import { type Source, sourceKinds } from './observation.ts'

/** What may be asked for: both files of a domain, one of them, or the file of a manager. */
export const crawlScopes = ['domain', 'brand', 'manager'] as const
export type CrawlScope = (typeof crawlScopes)[number]

/** The files of the domain itself that a request is about. */
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

/** What came of an attempt: the outcome, or that what was found could not be taken in. */
export const requestOutcomes = [...outcomeNames, 'quarantined'] as const
export type RequestOutcome = (typeof requestOutcomes)[number]

/** How far one file of a request is. Times as ISO text. */
export interface RequestedFile extends Source {
  attempts: number
  outcome: RequestOutcome | null
  http_status: number | null
  attempted_at: string | null
  /** Set while it is to be asked for again; `deferred`: at a time the server named. */
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

/** An attempt to read one file, as it was taken in. */
export interface Attempt extends Source {
  at: Instant
  outcome: RequestOutcome
  status: number | null
  /** The attempt began after this commit. */
  after_seq: number
  /** When the server wants to be asked again, if it said so. */
  not_before: Instant | null
}

const text = z.string()
const time = z.iso.datetime()

export const CrawlAccepted = z
  .looseObject({ message: text, domain: text, crawl_request_id: z.uuid() })
  .meta({ id: 'CrawlAccepted' })

export const ManagerRevalidationAccepted = z
  .looseObject({
    message: text,
    manager_domain: text,
    publishers_enqueued: z.int().nonnegative(),
    crawl_request_id: z.uuid(),
  })
  .meta({ id: 'ManagerRevalidationAccepted' })

export const CrawlRequestStatus = z
  .looseObject({
    crawl_request_id: z.uuid(),
    domain: text,
    status: z.enum(crawlStatuses),
    attempts: z.int().nonnegative(),
    max_attempts: z.int(),
    requested_at: time,
    started_at: time.nullable(),
    last_attempted_at: time.nullable(),
    completed_at: time.nullable(),
    next_attempt_at: time.nullable(),
    last_error_code: text.nullable(),
    outcome: z.array(
      z.looseObject({
        file: z.enum(sourceKinds),
        url: text,
        outcome: z.enum(requestOutcomes).nullable(),
        attempts: z.int().nonnegative(),
        http_status: z.int().nullable(),
        attempted_at: time.nullable(),
      }),
    ),
  })
  .meta({ id: 'CrawlRequestStatus', description: 'How far a crawl that was asked for is' })
export type CrawlRequestStatus = z.infer<typeof CrawlRequestStatus>
