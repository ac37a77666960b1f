import { z } from 'zod'

/** Freshness of an answer: the crawl state of the file behind it. */
export const FreshnessBlock = z
  .looseObject({
    state: z
      .enum(['never_crawled', 'current', 'stale', 'failing', 'absent', 'invalid'])
      .describe(
        'State of the file: `current` if it was read within 48 hours, `stale` if it was read before that, `failing` if the last attempt failed, `absent` if there is no such file, `invalid` if nothing in it can be used, or if it leads through too many other files',
      ),
    outcome: z
      .string()
      .optional()
      .describe('Outcome of the last attempt, in one word such as `ok` or `timeout`'),
    checked_at: z
      .string()
      .optional()
      .describe('Time of the last attempt; absent if there was none'),
    succeeded_at: z
      .string()
      .optional()
      .describe('Time of the last attempt that succeeded; absent if none did'),
    http_status: z
      .int()
      .optional()
      .describe('HTTP status of the last attempt; absent if no server responded'),
  })
  .meta({
    id: 'Freshness',
    description:
      'Crawl state of the file behind the response; of several files, the least fresh one',
  })
export type FreshnessBlock = z.infer<typeof FreshnessBlock>
