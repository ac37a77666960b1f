import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { FeedAnswer, FeedFrame } from '../../pipeline/model/responses/index.ts'
import { readPageAfter } from '../../pipeline/read/lookups/feed.ts'
import { isTypeFilter, matchTypes } from '../../pipeline/read/lookups/feed-types.ts'
import { createWholeNumber } from '../inputs/fields.ts'
import { defineOperation } from '../operation/operation.ts'
import { replyLent } from '../responses/reply.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TYPE_FILTERS_MAX = 100

const cursor = z
  .string()
  .default('')
  .refine(text => text === '' || UUID.test(text), 'must be the cursor of a page, a UUID')
  .transform(text => (text === '' ? NIL_UUID : text.toLowerCase()))
  .meta({ description: 'Continue after this event; by default from the earliest stored event' })

const types = z
  .string()
  .default('')
  .transform((text, ctx) => {
    const filters = text
      .split(',')
      .map(filter => filter.trim())
      .filter(filter => filter !== '')
    const bad = filters.find(filter => !isTypeFilter(filter) || matchTypes([filter]).length === 0)
    if (filters.length > TYPE_FILTERS_MAX) ctx.addIssue(`must not be more than ${TYPE_FILTERS_MAX}`)
    else if (bad !== undefined) {
      const shown = JSON.stringify(bad.slice(0, 100))
      ctx.addIssue({
        code: 'custom',
        message: `${shown} is not an event type or a pattern of any; there are ${eventTypeNames.join(', ')}`,
        params: { valid_values: eventTypeNames },
      })
    }
    return filters.length === 0 ? eventTypeNames : matchTypes(filters)
  })
  .meta({
    description: 'Event types, separated by commas, `*` for any characters; all by default',
    examples: ['property.*,agent.discovered'],
  })

/** Maximum number of events on a page. */
const limit = createWholeNumber({
  description: 'Maximum number of events on the page',
  min: 1,
  max: 10_000,
  default: 100,
})

export const readFeed = defineOperation({
  id: 'readFeed',
  method: 'GET',
  path: '/api/registry/feed',
  group: 'Change Feed',
  summary: 'Read the change feed',
  description:
    'Pass `cursor` of a page to get the next one: at once while `has_more` is true, later when it ' +
    'is false. A cursor belongs to one `types`. Events are stored for ' +
    `${limits.feedRetentionDays} days; after that, start again from search and sync.`,
  access: 'bearer',
  cache: 'private',
  query: z.object({ cursor, types, limit }),
  reply: { 200: FeedAnswer },
  errors: ['invalid_request', 'cursor_expired'],
  handle: ({ query, services: { reader, config } }) => {
    const page = readPageAfter(reader, {
      ...query,
      maxBytes: config.LIMITS.feedPageBytes,
      retentionDays: config.LIMITS.feedRetentionDays,
    })
    if (page === undefined) {
      return refuse('cursor_expired', 'the feed no longer has this cursor: start again without one')
    }
    return replyLent(page, { 'x-sync-cursor': page.head })
  },
})

const MS_PER_S = 1_000

export const streamFeed = defineOperation({
  id: 'streamFeed',
  method: 'GET',
  path: '/api/registry/feed/stream',
  group: 'Change Feed',
  summary: 'Stream the change feed as server-sent events',
  description:
    '`event: feed` has a page of the feed, as soon as something was committed; ' +
    '`event: heartbeat` says that there was nothing, at once on connecting and then at this interval. ' +
    'To resume, pass `cursor` of the last page. `event: error` comes before the end.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    cursor,
    types,
    limit,
    poll_interval_seconds: createWholeNumber({
      description: 'Seconds between heartbeats',
      min: 5,
      max: 60,
      default: 15,
    }),
  }),
  reply: { 200: { type: 'text/event-stream', item: FeedFrame } },
  errors: ['invalid_request', 'cursor_expired', 'unavailable'],
  handle: ({ query, principal, services: { streams } }) => ({
    headers: streamHeaders,
    open: streams.admit({
      cursor: query.cursor,
      types: query.types,
      limit: query.limit,
      heartbeatMs: query.poll_interval_seconds * MS_PER_S,
      principal: principal.id,
    }),
  }),
})

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
}
