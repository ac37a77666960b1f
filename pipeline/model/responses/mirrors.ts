import { z } from 'zod'
import { reviewStatuses } from '../review.ts'
import { CreatedAt, pageEnd, Success, UpdatedAt } from '../shared-fields.ts'

const text = z.string()
const count = z.int().nonnegative()
const moment = z.iso.datetime()
const digest = z.string().regex(/^[0-9a-f]{64}$/)

const ProposalId = z.uuid().describe('ID of the proposal, for later requests')
const ProposalDigest = digest.describe(
  'SHA-256 of the proposal and of the mirror that it is based on; required for a decision',
)
const SubmittedAt = moment.describe('Time at which the file was proposed, or proposed again')
const PublisherDomains = z
  .array(text)
  .describe('Publishers whose inventory the file describes, by domain')

const mirror = {
  platform: text.describe('Platform whose catalog is mirrored, such as `youtube`'),
  catalog_etag: text
    .nullable()
    .describe('Version of the catalog, as named by its editors; null if there is none'),
  superseded_by: text
    .nullable()
    .describe('URL of the file that supersedes the mirror; null if there is none'),
}
const AdagentsJson = z
  .looseObject({
    authorized_agents: z
      .array(z.never())
      .length(0)
      .describe('Always empty: a mirror authorizes nobody'),
  })
  .meta({ additionalProperties: true, description: 'The file as served' })

export const MirrorList = z
  .looseObject({
    mirrors: z
      .array(z.looseObject({ ...mirror, updated_at: UpdatedAt }))
      .describe('Mirrors on this page, most recently changed first'),
    total: count.describe('Number of mirrors on all pages'),
    ...pageEnd,
  })
  .meta({ id: 'MirrorList', description: 'A page of community mirrors, newest first' })
export type MirrorList = z.infer<typeof MirrorList>

export const Mirror = z
  .looseObject({
    ...mirror,
    adagents_json: AdagentsJson,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'Mirror',
    description: 'Catalog of a platform’s inventory, kept by the community; it authorizes no agent',
  })

const published = {
  success: Success,
  ...mirror,
  publisher_domains: PublisherDomains,
  updated_at: UpdatedAt,
}
export const MirrorPublished = z
  .looseObject(published)
  .meta({ id: 'MirrorPublished', description: 'A mirror whose file is now served' })

export const MirrorApproved = z
  .looseObject({ ...published, proposal_id: ProposalId })
  .meta({ id: 'MirrorApproved', description: 'A proposal whose file is now served' })

export const MirrorProposed = z
  .looseObject({
    success: Success,
    status: z.literal('pending').describe('Always `pending`: a moderator decides'),
    proposal_id: ProposalId,
    proposal_digest: ProposalDigest,
    platform: mirror.platform,
    status_url: text.describe('URL at which to get the proposal’s state'),
    submitted_at: SubmittedAt,
  })
  .meta({ id: 'MirrorProposed', description: 'A proposal waiting for a moderator' })

export const MirrorRemoved = z
  .looseObject({ success: Success, platform: mirror.platform })
  .meta({ id: 'MirrorRemoved', description: 'A mirror whose file is no longer served' })

const summary = {
  proposal_id: ProposalId,
  platform: mirror.platform,
  status: z
    .enum(reviewStatuses)
    .describe('Status of the proposal; `pending` until a moderator decides'),
  proposal_digest: ProposalDigest,
  submitted_at: SubmittedAt,
  reviewed_at: moment.nullable().describe('Time of the decision; null until then'),
  review_notes: text.nullable().describe('The moderator’s notes; null if there are none'),
  proposer: z
    .looseObject({
      id: text.describe('ID of the key or person that proposed the file'),
      organization: text
        .nullable()
        .describe('Name of the proposer’s organization; null if there is none'),
    })
    .optional()
    .describe('Who proposed the file; shown only to moderators'),
}
export const ProposalSummary = z
  .looseObject(summary)
  .meta({ id: 'MirrorProposalSummary', description: 'A proposal without its file' })
export type ProposalSummary = z.infer<typeof ProposalSummary>

export const ProposalList = z
  .looseObject({
    proposals: z.array(ProposalSummary).describe('Proposals on this page, newest first'),
    total: count.describe('Number of proposals on all pages'),
    ...pageEnd,
  })
  .meta({ id: 'MirrorProposalList', description: 'A page of proposals, newest first' })

export const Proposal = z
  .looseObject({
    ...summary,
    ...mirror,
    publisher_domains: PublisherDomains,
    adagents_json: AdagentsJson,
    base_digest: digest
      .nullable()
      .describe('SHA-256 of the mirror that the proposal is based on; null if there was none'),
    base_changed: z
      .boolean()
      .describe('Whether the mirror has changed since, so that the proposal cannot be approved'),
  })
  .meta({ id: 'MirrorProposal', description: 'A proposed file for a platform' })
export type Proposal = z.infer<typeof Proposal>

export const ProposalAnswer = z
  .looseObject({ proposal: Proposal })
  .meta({ id: 'MirrorProposalAnswer', description: 'A mirror proposal' })

export const ProposalRejected = z
  .looseObject({ success: Success, proposal: Proposal })
  .meta({ id: 'MirrorProposalRejected', description: 'A proposal that was rejected' })
