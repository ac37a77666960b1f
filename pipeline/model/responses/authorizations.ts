import { z } from 'zod'
import { grantFacts, PropertyRids, SigningKeys } from '../grant.ts'
import { operatorSideOfGrant, staleOfGrant } from '../operator-side.ts'
import {
  AgentUrl,
  CreatedAt,
  PropertyName,
  PropertyType,
  pageEnd,
  UpdatedAt,
} from '../shared-fields.ts'
import { AsOf, DidYouMean } from './authority.ts'

const text = z.string()
const count = z.int().nonnegative()

/**
 * Evidence of a grant. The first is a grant, the last a manager's claim about other publishers, which
 * grants nothing; the others name no rows.
 */
export const evidences = [
  'adagents_json',
  'agent_claim',
  'community',
  'override',
  'adagents_authoritative',
] as const
export type Evidence = (typeof evidences)[number]

const EvidenceName = z
  .enum(evidences)
  .describe(
    'Kind of row: `adagents_json` for a grant, `adagents_authoritative` for a manager’s claim',
  )

/** Members that only a claim has. */
const claim = {
  path: z
    .enum(['federated', 'inline'])
    .optional()
    .describe(
      'File that resolved a claim: the publisher’s (`federated`) or the manager’s (`inline`); only for claims',
    ),
  diverges: z
    .boolean()
    .optional()
    .describe('Whether the two files disagree about the properties; only for claims'),
  properties: z
    .array(
      z.looseObject({
        property_rid: z
          .uuid()
          .nullable()
          .describe('ID of the property in this registry; null if it has none'),
        property_id: text
          .nullable()
          .describe('ID that the file gives the property; null if it gives none'),
        property_type: PropertyType,
        name: PropertyName,
      }),
    )
    .optional()
    .describe('First properties that a claim resolves to; only for claims'),
  properties_truncated: z
    .boolean()
    .optional()
    .describe('True if a claim resolves to more; the publisher lookup pages through all'),
}

/** A grant in force, with the member names of its events. */
export const AuthorizationItem = z
  .looseObject({
    ...grantFacts,
    property_rids: PropertyRids.optional(),
    properties_authorized: count.describe('Number of properties that the grant reaches'),
    publisher_wide: z
      .boolean()
      .describe('Whether the grant reaches all active properties of the publisher'),
    property_rid: z
      .uuid()
      .nullable()
      .describe('ID of the property, if the grant reaches exactly one; otherwise null'),
    property_id_slug: text
      .nullable()
      .describe(
        'ID that the publisher’s file gives the property in `property_rid`; null if there is none',
      ),
    authorized_for: text
      .nullable()
      .describe(
        'What the agent can sell, in the publisher’s own words; null if the file does not say',
      ),
    evidence: EvidenceName,
    disputed: z.boolean().describe('Always false: grants of files are not disputed'),
    created_by: text.nullable().describe('Always null: grants come from files and are not edited'),
    expires_at: text.nullable().describe('End of the grant; null if it has no end'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    signing_keys: SigningKeys.nullable().describe(
      'Public keys (JWK) that the publisher pins for the agent; null if it pins none',
    ),
    override_applied: z.boolean().describe('Always false: grants of files are not overridden'),
    override_reason: text.nullable().describe('Always null: nothing is overridden'),
    ...z.object(operatorSideOfGrant).partial().shape,
    ...staleOfGrant,
    ...claim,
  })
  .meta({
    id: 'Authorization',
    description:
      'A grant in force, or a manager’s claim. `property_rids` lists the properties that it reaches; if `property_rids_truncated` is true, it reaches all properties of the publisher that its selector matches, except those marked `inline_only`. ' +
      '`property_rid` is null unless it reaches exactly one. If `evidence` is `adagents_authoritative`, this is a ' +
      'claim, which grants nothing: the file of `manager_domain` makes it about another publisher. `properties` then ' +
      'lists the properties that the claim selects in the publisher’s own file (`path: federated`) or, if that was ' +
      'never read, in the manager’s (`inline`). `diverges` is true if the two files disagree; the publisher’s file ' +
      'counts. Lists have `operator_side`, what the agent’s operator says about all that this publisher grants it; the stream and the events do not.',
  })
export type AuthorizationItem = z.infer<typeof AuthorizationItem>

export const AgentAuthorizations = z
  .looseObject({
    agent_url: AgentUrl,
    evidence: z.array(EvidenceName).describe('Requested kinds of rows'),
    include: z.literal('effective').describe('Always `effective`: only rows that are in force'),
    rows: z.array(AuthorizationItem).describe('Grants or claims on this page, sorted by publisher'),
    count: count.describe('Number of rows on this page'),
    rows_total: count.describe('Number of rows on all pages'),
    did_you_mean: DidYouMean.optional(),
    as_of: AsOf.optional(),
    rows_truncated: z.boolean().optional().describe('True if more pages follow'),
    cursor: text.nullable().describe('The same as `next_cursor`'),
    ...pageEnd,
  })
  .meta({ id: 'AgentAuthorizations', description: 'A page of an agent’s grants' })
export type AgentAuthorizations = z.infer<typeof AgentAuthorizations>
