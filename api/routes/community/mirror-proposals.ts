import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { requireValue } from '../../../pipeline/core/present.ts'
import { isModerator } from '../../../pipeline/core/roles.ts'
import type { MirrorProposal } from '../../../pipeline/model/mirror.ts'
import {
  MirrorApproved,
  type Proposal,
  ProposalAnswer,
  ProposalList,
  ProposalRejected,
  type ProposalSummary,
} from '../../../pipeline/model/responses/mirrors.ts'
import {
  ReviewDigest,
  ReviewNotes,
  reviewStatuses,
  type StoredReview,
} from '../../../pipeline/model/review.ts'
import { findMirror } from '../../../pipeline/read/lookups/records.ts'
import { findReview, listReviews } from '../../../pipeline/read/lookups/reviews.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import type { Principal } from '../../auth/principal.ts'
import { createPageSize, pageCursor, pageOffset } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { buildPageEnd } from '../../responses/lists.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const PAGE_ROWS_DEFAULT = 20
const PAGE_ROWS_MAX = 50
const params = z.object({
  id: z.uuid().toLowerCase().describe('The proposal’s `proposal_id`'),
})
const ReadDigest = ReviewDigest.describe(
  'Digest of the version that was read; it must be the current one',
)
const Notes = ReviewNotes.describe('Notes for the organization that proposed it')
const reviewErrors = [...writeErrors, 'not_found', 'conflict'] as const

export const listMirrorProposals = defineOperation({
  id: 'listMirrorProposals',
  method: 'GET',
  path: '/api/registry/mirror-proposals',
  group: 'Community Mirrors',
  summary: 'List mirror proposals',
  description:
    'Lists your organization’s proposals. Moderators see all proposals, by default only pending ones, ' +
    'and can set `review_queue=true`.',
  access: 'bearer',
  cache: 'private',
  query: z.object({
    status: z.enum(reviewStatuses).optional().describe('Only proposals with this status'),
    review_queue: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: only proposals that wait for review; for moderators only'),
    limit: createPageSize({ defaultSize: PAGE_ROWS_DEFAULT, max: PAGE_ROWS_MAX }),
    offset: pageOffset,
    cursor: pageCursor,
  }),
  reply: { 200: ProposalList },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { reader } }) => {
    const moderates = isModerator(principal.roles)
    if (query.review_queue === 'true' && !moderates) {
      refuse('forbidden', 'only moderators may see the queue')
    }
    const status = query.status ?? (moderates ? 'pending' : undefined)
    const found = listReviews(
      reader,
      review => isVisible(review, principal) && (status === undefined || review.status === status),
    )
    const start = query.cursor === undefined ? query.offset : Number(query.cursor)
    const page = found.slice(start, start + query.limit)
    return replyOk({
      proposals: page.map(review => toSummary(review, moderates)),
      total: found.length,
      ...buildPageEnd(start, page.length, found.length),
    })
  },
})

export const readMirrorProposal = defineOperation({
  id: 'getMirrorProposal',
  method: 'GET',
  path: '/api/registry/mirror-proposals/:id',
  group: 'Community Mirrors',
  summary: 'Get a mirror proposal with its file',
  access: 'bearer',
  cache: 'private',
  params,
  reply: { 200: ProposalAnswer },
  errors: ['invalid_request', 'not_found'],
  handle: ({ params: { id }, principal, services: { reader } }) => {
    const proposal = findProposal(reader, id, principal)
    return proposal
      ? replyOk({ proposal })
      : replyRefused('not_found', `there is no proposal "${id}"`, {})
  },
})

export const approveMirrorProposal = defineOperation({
  id: 'approveMirrorProposal',
  method: 'POST',
  path: '/api/registry/mirror-proposals/:id/approve',
  group: 'Community Mirrors',
  summary: 'Approve a mirror proposal',
  description:
    'For moderators. The request is rejected if the digest is not the current proposal’s, or if the mirror ' +
    'has changed since it was proposed.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  params,
  body: z.object({ proposal_digest: ReadDigest, review_notes: Notes.optional() }),
  reply: { 200: MirrorApproved },
  errors: reviewErrors,
  handle: async ({ params: { id }, body, principal, services }) => {
    const done = await decide('review.approve', id, body, principal, services)
    const { review_id, ...published } = done
    return replyOk({ success: true, ...published, proposal_id: review_id })
  },
})

export const rejectMirrorProposal = defineOperation({
  id: 'rejectMirrorProposal',
  method: 'POST',
  path: '/api/registry/mirror-proposals/:id/reject',
  group: 'Community Mirrors',
  summary: 'Reject a mirror proposal',
  description: 'For moderators. The notes are shown to the organization that proposed it.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  params,
  body: z.object({ proposal_digest: ReadDigest, review_notes: Notes }),
  reply: { 200: ProposalRejected },
  errors: reviewErrors,
  handle: async ({ params: { id }, body, principal, services }) => {
    await decide('review.reject', id, body, principal, services)
    const proposal = requireValue(findProposal(services.reader, id, principal), 'proposal')
    return replyOk({ success: true, proposal })
  },
})

interface Decision {
  proposal_digest: string
  review_notes?: string | undefined
}

async function decide(
  op: 'review.approve' | 'review.reject',
  review_id: string,
  { proposal_digest: digest, review_notes: notes = '' }: Decision,
  { id: reviewer, roles }: Principal,
  { writer }: Services,
): Promise<Record<string, unknown>> {
  if (!isModerator(roles)) refuse('forbidden', 'only moderators may decide proposals')
  const decision = { review_id, digest, reviewer, kind: 'mirror' } as const
  const answer = await writer.submit(
    op === 'review.reject'
      ? { op, ...decision, notes }
      : { op, ...decision, ...(notes !== '' && { notes }) },
  )
  return 'done' in answer ? answer.done : refuse(answer.error ?? 'invalid_request', answer.refused)
}

function isVisible({ kind, org_id }: StoredReview, principal: Principal): boolean {
  if (kind !== 'mirror') return false
  return isModerator(principal.roles) || (org_id !== null && org_id === principal.org_id)
}

function findProposal(reader: Reader, id: string, principal: Principal): Proposal | undefined {
  const found = findReview(reader, id)
  if (found === undefined || !isVisible(found.review, principal)) return undefined
  const { review, payload } = found
  const { document, catalog_etag, superseded_by, publisher_domains, base_digest } =
    payload as unknown as MirrorProposal
  const current = findMirror(reader, review.subject)?.digest ?? null
  return {
    ...toSummary(review, isModerator(principal.roles)),
    catalog_etag,
    superseded_by,
    publisher_domains,
    base_digest,
    base_changed: review.status === 'pending' && current !== base_digest,
    adagents_json: document,
  }
}

/** Summarizes a proposal; only moderators see who proposed it. */
function toSummary(review: StoredReview, moderates: boolean): ProposalSummary {
  const { review_id, subject, digest, notes, submitted_by, org_name, ...times } = review
  return {
    proposal_id: review_id,
    platform: subject,
    status: times.status,
    proposal_digest: digest,
    submitted_at: times.submitted_at,
    reviewed_at: times.reviewed_at,
    review_notes: notes,
    ...(moderates && { proposer: { id: submitted_by, organization: org_name } }),
  }
}
