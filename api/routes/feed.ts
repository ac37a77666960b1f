import { z } from 'zod'
import type { Instant } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { FeedAnswer, FeedFrame } from '../../pipeline/model/responses/index.ts'
import { resolveAgentUrl } from '../../pipeline/read/lookups/agent-urls.ts'
import {
  type FeedPage,
  type FeedQuery,
  findCursorAt,
  readPageAfter,
} from '../../pipeline/read/lookups/feed.ts'
import type { FeedSubject } from '../../pipeline/read/lookups/feed-filter.ts'
import { matchTypes } from '../../pipeline/read/lookups/feed-types.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { completeDay, DateTime } from '../inputs/as-of.ts'
import { describeUnknownType } from '../inputs/event-type.ts'
import { createWholeNumber, List, PastedDomain } from '../inputs/fields.ts'
import { AgentUrl } from '../inputs/sale.ts'
import { type Call, defineOperation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { refuseExpiredCursor } from '../responses/expired-cursor.ts'
import { replyLent, type Sent } from '../responses/reply.ts'

const MS_PER_S = 1_000
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TYPE_FILTERS_MAX = 100

const cursor = z
  .string()
  .default('')
  .refine(
    text => text === '' || UUID.test(text),
    'must be a `cursor` value from a previous response',
  )
  .transform(text => (text === '' ? NIL_UUID : text.toLowerCase()))
  .meta({
    description: 'Continue after this event; if absent or empty, start with the oldest event kept',
  })

const since = z
  .string()
  .optional()
  .transform((text, ctx): Instant | undefined => {
    if (text === undefined || text === '') return undefined
    const moment = completeDay(text)
    if (DateTime.safeParse(moment).success) return Date.parse(moment)
    ctx.addIssue('must be a date and time such as 2026-01-31T09:00:00Z, or a date')
    return z.NEVER
  })
  .describe('Start at this time (`2026-01-31T09:00:00Z`) or UTC date')

type WaitingCall = Pick<Call<unknown, unknown, unknown, 'bearer'>, 'principal' | 'signal'> & {
  services: Pick<Services, 'reader' | 'commits'>
}

interface Begin {
  cursor: string
  since: Instant | undefined
}

/** Chooses the cursor of a first page: the one that is named, or that of a time. */
function chooseCursor({ cursor, since: moment }: Begin, reader: Reader, config: Config): string {
  if (moment === undefined) return cursor
  if (cursor !== NIL_UUID) refuse('invalid_request', 'since: specify `since` or `cursor`, not both')
  const { feedRetentionDays: days } = config.LIMITS
  return (
    findCursorAt(reader, moment, days) ??
    refuse(
      'cursor_expired',
      `the feed keeps events for ${countThings(days, 'day')}: name a later time`,
    )
  )
}

/** Converts what a request is about to how events name it: an agent in its publishers' spelling. */
function toSubject({ domain, agent }: FeedSubject, reader: Reader): FeedSubject {
  return { domain, agent: agent === undefined ? undefined : resolveAgentUrl(reader, agent) }
}

const types = List.transform((filters, ctx) => {
  const [fault] = filters.flatMap(filter => describeUnknownType(filter) ?? [])
  if (filters.length > TYPE_FILTERS_MAX) ctx.addIssue(`must not be more than ${TYPE_FILTERS_MAX}`)
  else if (fault !== undefined)
    ctx.addIssue({
      code: 'custom',
      message: fault,
      params: { valid_values: eventTypeNames },
    })
  return filters.length === 0 ? eventTypeNames : matchTypes(filters)
}).meta({
  description: 'Event [types](/docs/guides/events) with `*` as wildcard, separated by commas',
  examples: ['property.*,agent.discovered'],
})

const subject = {
  domain: PastedDomain.optional().describe('Events about this domain'),
  agent: AgentUrl.optional().describe('Events about this agent'),
}

/** Maximum number of events per page. */
const limit = createWholeNumber({
  description: 'Maximum number of events per page',
  min: 1,
  max: 10_000,
  default: 100,
})

const wait = createWholeNumber({
  description: 'Seconds to wait for an event',
  min: 0,
  max: 60,
  default: 0,
})

export const readFeed = defineOperation({
  id: 'readFeed',
  method: 'GET',
  path: '/api/registry/feed',
  group: 'Change Feed',
  summary: 'Read the change feed',
  description:
    'Returns events in order. To get the next page, pass the `cursor` of the last response: at once while ' +
    '`has_more` is true, otherwise later or with `wait`. Keep the same filters on ' +
    'every page, or you will miss events. ' +
    'With `domain` or `agent`, a page may be empty while `has_more` is true. With both, events must match both. ' +
    `Events are kept for ${limits.feedRetentionDays} days: after a 410, load your copy again.`,
  access: 'bearer',
  cache: 'private',
  query: z.object({ cursor, since, types, ...subject, limit, wait }),
  reply: { 200: FeedAnswer },
  responseHeaders: ['X-Sync-Cursor'],
  errors: ['invalid_request', 'cursor_expired', 'unavailable'],
  handle: call => {
    const { query, services } = call
    const { reader, config } = services
    const first = {
      ...query,
      ...toSubject(query, reader),
      cursor: chooseCursor(query, reader, config),
      maxBytes: config.LIMITS.feedPageBytes,
      retentionDays: config.LIMITS.feedRetentionDays,
    }
    return query.wait === 0
      ? replyPage(readPageAfter(reader, first))
      : waitForPage(first, query.wait * MS_PER_S, call)
  },
})

function replyPage(page: FeedPage | undefined): Sent {
  if (page !== undefined) return replyLent(page, { 'x-sync-cursor': page.cursor })
  return refuseExpiredCursor()
}

/** Answers with the next page that has events, or after the wait with one that has none. */
async function waitForPage(
  first: FeedQuery,
  ms: number,
  { services: { reader, commits }, principal, signal }: WaitingCall,
): Promise<Sent> {
  const began = performance.now()
  const waiting = signal()
  for (let { cursor } = first; ; ) {
    const seq = commits.seq
    const page = readPageAfter(reader, { ...first, cursor })
    const waitedMs = performance.now() - began
    if (!page?.isEmpty || waitedMs >= ms || waiting.aborted || commits.isClosed)
      return { ...replyPage(page), waitedMs }
    page.release()
    cursor = page.cursor
    await commits.waitAfter(seq, {
      caller: principal.id,
      ms: ms - waitedMs,
      signal: waiting,
    })
  }
}

export const streamFeed = defineOperation({
  id: 'streamFeed',
  method: 'GET',
  path: '/api/registry/feed/stream',
  group: 'Change Feed',
  summary: 'Stream the change feed as server-sent events',
  description:
    'Each `event: feed` carries a page of the feed and is sent as soon as there is one. `event: heartbeat` means that there is nothing new: it is sent on connecting, then at regular intervals. To resume, pass the `cursor` of the last page; it is also the `id` of the message, which browsers send as `Last-Event-ID`. `event: error` is sent before the stream ends.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    cursor,
    since,
    types,
    ...subject,
    limit,
    poll_interval_seconds: createWholeNumber({
      description: 'Seconds between heartbeats',
      min: 5,
      max: 60,
      default: 15,
    }),
  }),
  reply: { 200: { type: 'text/event-stream', item: FeedFrame } },
  requestHeaders: ['Last-Event-ID'],
  errors: ['invalid_request', 'cursor_expired', 'unavailable'],
  handle: ({ query, principal, header, services: { streams, reader, config } }) => ({
    headers: streamHeaders,
    open: streams.admit({
      cursor: readLastId(header('last-event-id')) ?? chooseCursor(query, reader, config),
      types: query.types,
      ...toSubject(query, reader),
      limit: query.limit,
      heartbeatMs: query.poll_interval_seconds * MS_PER_S,
      principal: principal.id,
    }),
  }),
})

/** Reads where a browser continues; undefined for a first connection. */
function readLastId(header: unknown): string | undefined {
  if (header === undefined || header === '') return undefined
  if (typeof header === 'string' && UUID.test(header)) return header.toLowerCase()
  return refuse('invalid_request', 'last-event-id: must be the ID of an earlier event')
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
}
