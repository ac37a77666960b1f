import { z } from 'zod'

const text = z.string()
const texts = z.array(text)

/**
 * Why a grant may be believed. The first names grants, the last what a manager's file claims for other
 * publishers, of which nothing is granted; the others name no rows.
 */
export const evidences = [
  'adagents_json',
  'agent_claim',
  'community',
  'override',
  'adagents_authoritative',
] as const
export type Evidence = (typeof evidences)[number]

/** A grant in force. What an event of the feed says of it stands here by the same names. */
export const AuthorizationItem = z
  .looseObject({
    id: z.uuid(),
    agent_url: text,
    agent_url_canonical: text,
    publisher_domain: text,
    authorization_type: text,
    property_ids: texts.optional(),
    property_tags: texts.optional(),
    properties_authorized: z.int().nonnegative(),
    publisher_wide: z.boolean(),
    /** The property, where the grant reaches exactly one. */
    property_rid: z.uuid().nullable(),
    property_id_slug: text.nullable(),
    authorized_for: text.nullable(),
    evidence: z.enum(evidences),
    disputed: z.boolean(),
    created_by: text.nullable(),
    expires_at: text.nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    signing_keys: z.array(z.looseObject({})).nullable(),
    override_applied: z.boolean(),
    override_reason: text.nullable(),
    /** Of a claim: by whose file it was found what it comes to. */
    path: z.enum(['federated', 'inline']).optional(),
    /** Of a claim: whether the two files say otherwise of these properties, where both list any. */
    diverges: z.boolean().optional(),
    /** Of a claim: the first properties it comes to. */
    properties: z
      .array(
        z.looseObject({
          property_rid: z.uuid().nullable(),
          property_id: text.nullable(),
          property_type: text,
          name: text,
        }),
      )
      .optional(),
    properties_truncated: z.boolean().optional(),
  })
  .meta({
    id: 'Authorization',
    description:
      'A grant in force. `property_rid` is null where it reaches more than one property or none; ' +
      '`publisher_wide` says whether it reaches all of the publisher. With the evidence ' +
      '`adagents_authoritative` it is no grant but a claim: what the file of `manager_domain` says of ' +
      'another publisher, and the `properties` that this comes to by the publisher’s own file ' +
      '(`path: federated`) or, where nobody has read one, by the manager’s (`inline`). `diverges` says ' +
      'that the two files disagree; the publisher’s counts.',
  })
export type AuthorizationItem = z.infer<typeof AuthorizationItem>

export const AgentAuthorizations = z
  .looseObject({
    agent_url: text,
    evidence: z.array(z.enum(evidences)),
    include: z.literal('effective'),
    rows: z.array(AuthorizationItem),
    count: z.int().nonnegative(),
    rows_total: z.int().nonnegative(),
    rows_truncated: z.boolean().optional(),
    cursor: text.nullable(),
  })
  .meta({ id: 'AgentAuthorizations', description: 'What an agent was granted, by publisher' })
export type AgentAuthorizations = z.infer<typeof AgentAuthorizations>
