import { z } from 'zod'
import { reviewStatuses } from './review.ts'

const text = z.string()
const count = z.int().nonnegative()
const moment = z.iso.datetime()
const digest = z.string().regex(/^[0-9a-f]{64}$/)

const mirror = {
  platform: text,
  catalog_etag: text.nullable(),
  superseded_by: text.nullable(),
}
const AdagentsJson = z.looseObject({ authorized_agents: z.array(z.never()).length(0) })

export const MirrorList = z
  .looseObject({ mirrors: z.array(z.looseObject({ ...mirror, updated_at: moment })), total: count })
  .meta({ id: 'MirrorList', description: 'A page of the community mirrors, newest first' })

export const Mirror = z
  .looseObject({ ...mirror, adagents_json: AdagentsJson, created_at: moment, updated_at: moment })
  .meta({ id: 'Mirror', description: 'A file that is kept for a platform; it authorizes nobody' })

const published = {
  success: z.literal(true),
  ...mirror,
  publisher_domains: z.array(text),
  updated_at: moment,
}
export const MirrorPublished = z
  .looseObject(published)
  .meta({ id: 'MirrorPublished', description: 'The file is served from now on' })

export const MirrorApproved = z
  .looseObject({ ...published, proposal_id: z.uuid() })
  .meta({ id: 'MirrorApproved', description: 'What was proposed is served from now on' })

export const MirrorProposed = z
  .looseObject({
    success: z.literal(true),
    status: z.literal('pending'),
    proposal_id: z.uuid(),
    proposal_digest: digest,
    platform: text,
    status_url: text,
    submitted_at: moment,
  })
  .meta({ id: 'MirrorProposed', description: 'A proposal waits for a moderator' })

export const MirrorRemoved = z
  .looseObject({ success: z.literal(true), platform: text })
  .meta({ id: 'MirrorRemoved', description: 'The file is no longer served' })

const summary = {
  proposal_id: z.uuid(),
  platform: text,
  status: z.enum(reviewStatuses),
  proposal_digest: digest,
  submitted_at: moment,
  reviewed_at: moment.nullable(),
  review_notes: text.nullable(),
  /** Told to moderators. */
  proposer: z.looseObject({ id: text, organization: text.nullable() }).optional(),
}
export const ProposalSummary = z
  .looseObject(summary)
  .meta({ id: 'MirrorProposalSummary', description: 'A proposal without its file' })
export type ProposalSummary = z.infer<typeof ProposalSummary>

export const ProposalList = z
  .looseObject({ proposals: z.array(ProposalSummary), total: count })
  .meta({ id: 'MirrorProposalList', description: 'A page of proposals, newest first' })

export const Proposal = z
  .looseObject({
    ...summary,
    catalog_etag: text.nullable(),
    superseded_by: text.nullable(),
    publisher_domains: z.array(text),
    adagents_json: AdagentsJson,
    /** Of the mirror it was made for; null where there was none. */
    base_digest: digest.nullable(),
    /** That mirror is no longer what is served: it cannot be approved. */
    base_changed: z.boolean(),
  })
  .meta({ id: 'MirrorProposal', description: 'A file that somebody proposes for a platform' })
export type Proposal = z.infer<typeof Proposal>

export const ProposalAnswer = z
  .looseObject({ proposal: Proposal })
  .meta({ id: 'MirrorProposalAnswer', description: 'One proposal' })

export const ProposalRejected = z
  .looseObject({ success: z.literal(true), proposal: Proposal })
  .meta({ id: 'MirrorProposalRejected', description: 'The proposal was rejected' })
