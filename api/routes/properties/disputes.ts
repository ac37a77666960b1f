import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { type Dispute, disputeTypes } from '../../../pipeline/model/contribution.ts'
import { CatalogDispute, DisputeFiled } from '../../../pipeline/model/responses/catalog.ts'
import { isStorable } from '../../../pipeline/model/save.ts'
import { findReview } from '../../../pipeline/read/lookups/reviews.ts'
import { findIdentifiers } from '../../../pipeline/read/queries/identifiers.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { toEditor } from '../../auth/editor.ts'
import { defineOperation } from '../../operation/operation.ts'
import { replyOk, replyRefused } from '../../responses/reply.ts'

const ADDRESS = /(?<![^\s@<>(),;])[^\s@<>(),;]+@[^\s@<>(),;]+\.[^\s@<>(),;]+/g
const statuses = { pending: 'open', approved: 'resolved', rejected: 'rejected' } as const
const words = (minimum: number, maximum: number) =>
  z.string().trim().min(minimum).max(maximum).refine(isStorable, 'must be well-formed text')

export const fileCatalogDispute = defineOperation({
  id: 'fileCatalogDispute',
  method: 'POST',
  path: '/api/registry/catalog/disputes',
  group: 'Property Resolution',
  summary: 'Dispute a fact in the catalog',
  description:
    'A moderator reviews the dispute; an identifier (`type:value`) asserted only by a contributor is ' +
    'suspended at once. An organization can have one open dispute per record: filing again ' +
    'replaces the text. The text is public; its author is not.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({
    dispute_type: z.enum(disputeTypes).describe('Kind of fact that is wrong'),
    subject_type: words(1, 100).describe('Type of the disputed record, such as `property`'),
    subject_value: words(1, 2_048).describe(
      'Disputed record: a rid, or an identifier as `type:value`',
    ),
    claim: words(10, 2_000).describe('What is wrong with the record; public'),
    evidence: words(0, 5_000).optional().describe('Evidence, such as URLs'),
  }),
  reply: { 200: DisputeFiled },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'unavailable'],
  handle: async ({ body, principal, services: { writer, reader } }) => {
    const reporter = toEditor(principal)
    const suspends = await findWeakLink(body, reader)
    const answer = await writer.submit({
      op: 'dispute.file',
      review_id: randomUUID(),
      reporter,
      ...body,
      ...(suspends !== undefined && { suspends }),
    })
    if ('refused' in answer) return refuse(answer.error ?? 'invalid_request', answer.refused)
    const { dispute_id } = answer.done
    const [action_taken, reason] =
      suspends === undefined
        ? ['queued_for_review', 'a moderator reviews it']
        : [
            'link_suspended',
            'no publisher declares it: it is suspended until the dispute is decided',
          ]
    return replyOk({ dispute_id, action_taken, reason })
  },
})

/** Finds the property of a disputed identifier (`type:value`) for which a contribution is the only evidence. */
async function findWeakLink(
  { dispute_type, subject_value }: Pick<Dispute, 'dispute_type' | 'subject_value'>,
  { snapshot }: Reader,
): Promise<string | undefined> {
  const [, type, value] = /^(\w+):(.+)$/s.exec(subject_value) ?? []
  if (dispute_type !== 'identifier_link' || !snapshot || !type || !value) return undefined
  const [found] = await findIdentifiers(snapshot, [{ type, value }])
  return (found?.source === 'contributed' && found.property_rid) || undefined
}

export const readCatalogDispute = defineOperation({
  id: 'getCatalogDispute',
  method: 'GET',
  path: '/api/registry/catalog/disputes/:id',
  group: 'Property Resolution',
  summary: 'Get a dispute’s state',
  description: 'Email addresses and the author are left out.',
  access: 'public',
  cache: 'unshared',
  params: z.object({ id: z.string().max(255).describe('The dispute’s `dispute_id`') }),
  reply: { 200: CatalogDispute },
  errors: ['not_found'],
  handle: ({ params: { id }, services: { reader } }) => {
    const found = findReview(reader, id.toLowerCase())
    if (found?.review.kind !== 'dispute')
      return replyRefused('not_found', 'there is no such dispute', {})
    const { review_id, status, submitted_at, reviewed_at } = found.review
    const { claim, evidence, ...subject } = found.payload as unknown as Dispute
    return replyOk({
      id: review_id,
      ...subject,
      claim: stripAddresses(claim),
      ...(evidence !== undefined && { evidence: stripAddresses(evidence) }),
      status: statuses[status],
      created_at: submitted_at,
      ...(reviewed_at !== null && { resolved_at: reviewed_at }),
    })
  },
})

function stripAddresses(text: string): string {
  return text.replace(ADDRESS, '[address]')
}
