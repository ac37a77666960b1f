import { z } from 'zod'
import { TypedFeedEvent } from '../event.ts'

const text = z.string()
const count = z.int().nonnegative()

const FeedFreshness = z
  .looseObject({
    generated_at: z.iso.datetime().describe('Time at which this page was created'),
    latest_event_created_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'Time of the latest event of the requested `types`, whatever its domain or agent; null if there is none',
      ),
    lag_seconds: count
      .nullable()
      .describe(
        'Seconds since `latest_event_created_at`, null if there is none; `has_more`, not this, says whether you are behind',
      ),
    retention_days: count.describe('Number of days for which events are kept'),
  })
  .describe('How recent this page is, and the latest event of the requested types')

const feedCursor = text
  .regex(/^[0-9a-f-]{36}$/)
  .describe('Pass as `cursor` to get the next page, now or later')

export const FeedAnswer = z
  .looseObject({
    events: z.array(TypedFeedEvent).describe('Events on this page, in the order of their IDs'),
    cursor: feedCursor,
    has_more: z.boolean().describe('Whether more events are already available'),
    freshness: FeedFreshness,
  })
  .meta({ id: 'Feed', description: 'A page of the change feed' })

/** A server-sent event of the feed, with its data parsed. */
export const FeedFrame = z
  .discriminatedUnion('event', [
    z.looseObject({
      event: z.literal('feed').describe('A page of the feed follows'),
      id: feedCursor,
      data: FeedAnswer.describe('A page of the feed'),
    }),
    z.looseObject({
      event: z.literal('heartbeat').describe('Nothing happened since the last page'),
      data: z
        .looseObject({
          cursor: feedCursor,
          generated_at: z.iso.datetime().describe('Time of this heartbeat'),
          freshness: FeedFreshness,
        })
        .describe('Position of the stream'),
    }),
    z.looseObject({
      event: z.literal('error').describe('Last event of the stream'),
      data: z
        .looseObject({
          error: z
            .enum(['cursor_expired', 'feed_stream_error'])
            .describe('Whether to load your copy again, or to reconnect'),
          message: text.describe('Reason for the end, in a sentence'),
        })
        .describe('Why the stream ends'),
    }),
  ])
  .describe('An event of the stream; `data` is sent as JSON')
