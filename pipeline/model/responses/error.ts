import { z } from 'zod'
import { publicErrorNames } from '../../core/errors.ts'
import { LiveBrandFailure, ReportedFault } from '../reported-fault.ts'
import { FreshnessBlock } from './freshness.ts'

const names = (what: string) => z.array(z.string()).optional().describe(what)

/** Fields of an error about what an agent claims to be. */
const claimFaultFields = {
  error_kind: z
    .enum(['unsupported_adcp_version', 'unknown_specialism', 'specialism_parent_protocol_missing'])
    .optional()
    .describe('What is wrong with the tested agent’s claims'),
  declared_version: z.string().optional().describe('Major version that the agent speaks'),
  known_versions: names('Major versions for which there are storyboards'),
  declared_specialisms: names('Specialisms that the agent claims but that are wrong'),
  known_specialisms: names('Every specialism of the protocol'),
  declared_protocols: names('Parts of the protocol that the agent claims'),
  required_protocols: names('Parts of the protocol that the agent’s specialisms belong to'),
}

const text = z.string()
const count = z.int().nonnegative()

/** Body of every error. Besides `error` and `code` each error has its own fields. */
export const ErrorBody = z
  .looseObject({
    error: text.describe('What went wrong, in a sentence; `cursor_expired` for an expired cursor'),
    code: z.enum(publicErrorNames).describe('Stable name of the error, for programs'),
    message: text
      .optional()
      .describe(
        'What went wrong, in a sentence; only some errors have it, such as `cursor_expired`',
      ),
    retry_after: count
      .optional()
      .describe('Seconds after which to try again; present with the header `Retry-After`'),
    origin_url: text
      .optional()
      .describe(
        'URL of the same operation at the registry that a replica follows: send the request there, since replicas reject writes and credentials',
      ),
    crawl_request_id: text
      .optional()
      .describe(
        'ID of your organization’s crawl request for the same domain, if a 429 is due to it',
      ),
    domain: text.optional().describe('Domain that the request named'),
    did_you_mean: z
      .array(text)
      .optional()
      .describe(
        'What you probably meant: the domain without `www.`, the agent with `https`, or the agents on the host',
      ),
    agent_url: text.optional().describe('URL of the agent that the request named'),
    publisher_domain: text.optional().describe('Domain of the publisher that the request named'),
    reason: text
      .optional()
      .describe(
        'Why an agent was rejected, or did not respond, in one word: `network`, `tls`, `timeout`, `protocol` or `unknown`',
      ),
    agent_hostname: text.optional().describe('Host of the agent that was rejected'),
    verified_domains: z
      .array(text)
      .optional()
      .describe('Verified domains of the organization, if the agent is on none of them'),
    existing_org_id: text
      .optional()
      .describe('ID of the organization to which the caller’s domain already belongs'),
    existing_org_name: text
      .optional()
      .describe('Name of the organization that already has the domain'),
    locked_to_org_id: text
      .optional()
      .describe('ID of the organization whose claim is in the domain’s pointer now'),
    platform: text.optional().describe('Platform of the requested mirror'),
    policy_id: text.optional().describe('ID of the policy that the request named'),
    field: text.optional().describe('Invalid field of the body, if the code is about one field'),
    valid_values: z
      .array(text)
      .optional()
      .describe('All valid values of the parameter, if one was invalid'),
    valid_roles: z
      .array(text)
      .optional()
      .describe('All badge roles, if the requested one does not exist'),
    file_status: z
      .int()
      .optional()
      .describe('HTTP status of the last request for the relevant file'),
    challenge_url: text
      .optional()
      .describe('URL at which to verify the domain, which the request requires'),
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
      .describe('True if the operation is only for members with API access'),
    needs_oauth: z
      .literal(true)
      .optional()
      .describe('True if the tested agent requires a credential'),
    ...claimFaultFields,
    success: z.literal(false).optional().describe('False if a proposed file was rejected'),
    details: z.array(ReportedFault).optional().describe('Issues in a proposed file, at most 20'),
    errors: z
      .array(ReportedFault)
      .optional()
      .describe('Issues that keep a file from being used, each with its field'),
    warnings: z
      .array(ReportedFault)
      .optional()
      .describe('Issues that affect only part of a file, each with its field'),
    timestamp: text.optional().describe('Time at which a proposed file was checked'),
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({
    id: 'Error',
    description:
      'What went wrong: a sentence in `error` and a stable `code`; for an expired cursor both are `cursor_expired`, and the sentence is in `message`',
  })
