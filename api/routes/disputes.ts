import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { findReview } from '../../pipeline/index/points/reviews.ts'
import { lookUpIdentifiers } from '../../pipeline/index/queries/identifiers.ts'
import type { Reader } from '../../pipeline/index/reader.ts'
import { CatalogDispute, DisputeFiled } from '../../pipeline/model/answers-catalog.ts'
import { type Dispute, disputeTypes } from '../../pipeline/model/contribution.ts'
import { isStorable } from '../../pipeline/model/save.ts'
import { operation } from '../operation.ts'
import { ok, refused } from '../reply.ts'
import { editorOf } from './saves.ts'

const ADDRESS = /[^\s@<>(),;]+@[^\s@<>(),;]+\.[^\s@<>(),;]+/g
const statusOf = { pending: 'open', approved: 'resolved', rejected: 'rejected' } as const
const words = (least: number, most: number) =>
  z.string().trim().min(least).max(most).refine(isStorable, 'must be well-formed text')

export const fileCatalogDispute = operation({
  id: 'fileCatalogDispute',
  method: 'POST',
  path: '/api/registry/catalog/disputes',
  group: 'Property Resolution',
  summary: 'Say that something in the catalog is wrong',
  description:
    'A person looks at it; the link of an identifier (`type:value`) that only a contributor asserts is ' +
    'suspended at once. What one organization says of one record is one dispute while it is open: ' +
    'saying it again replaces the words. They are public; who said them is not.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({
    dispute_type: z.enum(disputeTypes),
    subject_type: words(1, 100),
    subject_value: words(1, 2_048),
    claim: words(10, 2_000),
    evidence: words(0, 5_000).optional(),
  }),
  reply: { 200: DisputeFiled },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'unavailable'],
  handle: async ({ body, principal, services: { desk, reader } }) => {
    const reporter = editorOf(principal)
    const suspends = await weakLink(body, reader)
    const answer = await desk.submit({
      ...{ op: 'dispute.file', review_id: randomUUID(), reporter },
      ...body,
      ...(suspends !== undefined && { suspends }),
    })
    if ('refused' in answer) return refuse(answer.error ?? 'invalid_request', answer.refused)
    const { dispute_id } = answer.done
    const [action_taken, reason] =
      suspends === undefined
        ? ['queued_for_review', 'a moderator looks at it']
        : ['link_suspended', 'no publisher declares it: it answers for nothing until it is decided']
    return ok({ dispute_id, action_taken, reason })
  },
})

/** The property of a disputed identifier (`type:value`) where nobody but a contributor says so. */
async function weakLink(
  { dispute_type, subject_value }: Pick<Dispute, 'dispute_type' | 'subject_value'>,
  { snapshot }: Reader,
): Promise<string | undefined> {
  const [, type, value] = /^(\w+):(.+)$/s.exec(subject_value) ?? []
  if (dispute_type !== 'identifier_link' || !snapshot || !type || !value) return undefined
  const [found] = await lookUpIdentifiers(snapshot, [{ type, value }])
  return (found?.source === 'contributed' && found.property_rid) || undefined
}

export const readCatalogDispute = operation({
  id: 'getCatalogDispute',
  method: 'GET',
  path: '/api/registry/catalog/disputes/:id',
  group: 'Property Resolution',
  summary: 'How far a dispute is',
  description: 'Addresses of people are left out of what was said, and so is who said it.',
  access: 'public',
  cache: 'revalidate',
  params: z.object({ id: z.string().max(255) }),
  reply: { 200: CatalogDispute },
  errors: ['not_found'],
  handle: ({ params: { id }, services: { reader } }) => {
    const found = findReview(reader, id.toLowerCase())
    if (found?.review.kind !== 'dispute') return refused('not_found', 'no such dispute', {})
    const { review_id, status, submitted_at, reviewed_at } = found.review
    const { claim, evidence, ...subject } = found.payload as unknown as Dispute
    return ok({
      ...{ id: review_id, ...subject, claim: withoutAddresses(claim) },
      ...(evidence !== undefined && { evidence: withoutAddresses(evidence) }),
      ...{ status: statusOf[status], created_at: submitted_at },
      ...(reviewed_at !== null && { resolved_at: reviewed_at }),
    })
  },
})

function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, '[address]')
}
