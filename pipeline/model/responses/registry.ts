import { z } from 'zod'
import { publicErrorNames } from '../../core/errors.ts'
import { keyPermissions } from '../../core/roles.ts'
import { tierNames } from '../../core/tiers.ts'
import { TypedFeedEvent } from '../event.ts'
import { LiveBrandFailure, ReportedFault } from '../reported-fault.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()
const count = z.int().nonnegative()

export const RegistryStats = z
  .looseObject({
    seq: count.describe('Number of the commit that the counts are of'),
    total_brands: count.describe('Domains with a known brand'),
    total_publishers: count.describe('Publishers with a valid file'),
    total_agents: count.describe('Agents that any publisher’s file names'),
    total_properties: count.describe('How many properties are active now'),
    registered_agents: count.describe('Public agents that members enrolled'),
    registered_publishers: count.describe(
      'Publishers with a valid file whose domain a member holds',
    ),
    discovered_agents: count.describe('The same as `total_agents`'),
    discovered_publishers: count.describe('Publishers whose file was understood at least once'),
    discovered_properties: count.describe('Properties that are active or stale'),
    authorizations: count.describe('Grants in force'),
    authorizations_by_source: z
      .record(text, count)
      .describe('Number of authorizations by where they were found'),
    properties_by_type: z
      .record(text, count)
      .describe('Active properties by the types that the format knows'),
  })
  .meta({ id: 'RegistryStats', description: 'Counts of the registry, as of commit `seq`' })
export type RegistryStats = z.infer<typeof RegistryStats>

/** An organization's API key in the serving store, by the SHA-256 of its secret. */
export const StoredPrincipal = z.object({
  key_id: text,
  org_id: text,
  org_name: text,
  membership_tier: z.enum(tierNames).nullable(),
  label: text,
  permissions: z.array(z.enum(keyPermissions)),
  created_at: text,
})
export type StoredPrincipal = z.infer<typeof StoredPrincipal>

const FeedFreshness = z
  .looseObject({
    generated_at: z.iso.datetime().describe('Time at which this page was made'),
    latest_event_created_at: z.iso
      .datetime()
      .nullable()
      .describe('Time of the last event of the registry; null if there is none'),
    lag_seconds: count.nullable().describe('Seconds since then; null if there is none'),
    retention_days: count.describe('Days for which events can be read'),
  })
  .describe('Lag of this page behind the registry')

const feedCursor = text
  .regex(/^[0-9a-f-]{36}$/)
  .describe('Pass it as `cursor` to continue after this page, at once or later')

export const FeedAnswer = z
  .looseObject({
    events: z.array(TypedFeedEvent).describe('Events of this page, in the order of their ids'),
    cursor: feedCursor,
    has_more: z.boolean().describe('Whether there are more events already'),
    freshness: FeedFreshness,
  })
  .meta({ id: 'Feed', description: 'A page of the change feed' })

/** A server-sent event of the feed, with its data parsed. */
export const FeedFrame = z
  .discriminatedUnion('event', [
    z.looseObject({
      event: z.literal('feed').describe('Something was committed'),
      data: FeedAnswer.describe('A page of the feed'),
    }),
    z.looseObject({
      event: z.literal('heartbeat').describe('There was nothing since the last page'),
      data: z
        .looseObject({
          cursor: feedCursor,
          generated_at: z.iso.datetime().describe('Time of this heartbeat'),
          freshness: FeedFreshness,
        })
        .describe('How far the stream is'),
    }),
    z.looseObject({
      event: z.literal('error').describe('Last event of the stream'),
      data: z
        .looseObject({
          error: z
            .enum(['cursor_expired', 'feed_stream_error'])
            .describe('Whether to start again without a cursor, or to reconnect'),
          message: text.describe('The same, in a sentence'),
        })
        .describe('Why the stream ends'),
    }),
  ])
  .describe('An event of the stream; `data` is sent as JSON')

/** Body of every error. Members of one error are absent from the others. */
export const ErrorBody = z
  .looseObject({
    error: text.describe('What went wrong, in a sentence; `cursor_expired` for an expired cursor'),
    code: z
      .enum(publicErrorNames)
      .optional()
      .describe('Stable name of the error, for programs; absent for an expired cursor'),
    message: text
      .optional()
      .describe('The sentence, where `error` is `cursor_expired`; absent otherwise'),
    retry_after: count
      .optional()
      .describe('Seconds after which to try again; present with the header `Retry-After`'),
    domain: text.optional().describe('The domain that the request named'),
    agent_url: text.optional().describe('The agent that the request named'),
    publisher_domain: text.optional().describe('The publisher that the request named'),
    reason: text.optional().describe('Why an agent was refused, in one word'),
    agent_hostname: text.optional().describe('Host of the agent that was refused'),
    verified_domains: z
      .array(text)
      .optional()
      .describe('Verified domains of the organization, if the agent is on none of them'),
    existing_org_id: text
      .optional()
      .describe('Organization to which the caller’s domain already belongs'),
    existing_org_name: text.optional().describe('The organization that has the domain already'),
    locked_to_org_id: text
      .optional()
      .describe('Organization whose claim the domain’s pointer has at present'),
    platform: text.optional().describe('Platform of the requested mirror'),
    policy_id: text.optional().describe('The policy that the request named'),
    field: text
      .optional()
      .describe('Field of the body that is wrong, where the code is about one field'),
    valid_values: z
      .array(text)
      .optional()
      .describe('All valid values of the parameter, if one was invalid'),
    valid_roles: z
      .array(text)
      .optional()
      .describe('Every role of badges, if the one that was asked for is none'),
    file_status: z
      .int()
      .optional()
      .describe('HTTP status of the last request for the relevant file'),
    challenge_url: text
      .optional()
      .describe('Address for proving that you control the domain, which the request requires'),
    verified: z
      .literal(false)
      .optional()
      .describe('Always false: the domain did not publish the token'),
    oauth_required: z
      .literal(true)
      .optional()
      .describe('True if the called agent requires a credential'),
    members_only: z
      .literal(true)
      .optional()
      .describe('True if only members with API access get an answer'),
    needs_oauth: z
      .literal(true)
      .optional()
      .describe('True if the tested agent requires a credential'),
    success: z.literal(false).optional().describe('False where a proposed file was refused'),
    details: z.array(ReportedFault).optional().describe('Faults of a proposed file, at most 20'),
    errors: z
      .array(ReportedFault)
      .optional()
      .describe('Faults that keep a file from being used, each with its field'),
    warnings: z
      .array(ReportedFault)
      .optional()
      .describe('Faults that affect only a part of a file, each with its field'),
    timestamp: text.optional().describe('Time at which a proposed file was checked'),
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({
    id: 'Error',
    description:
      'What went wrong: a sentence, and a stable code. An expired cursor is `error: "cursor_expired"` with a `message`',
  })
