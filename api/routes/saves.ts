import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { BrandSaved, PropertySaved } from '../../pipeline/model/answers-saves.ts'
import { BrandManifest, BrandName, Contact, SavedProperty } from '../../pipeline/model/save.ts'
import { submitOnce } from '../attempt.ts'
import type { Principal } from '../auth.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { ok } from '../reply.ts'

const rules =
  'A new name that passes for another one is refused (400); one that might is shown once a person has ' +
  'looked at it (`review_status`). What a domain says of itself in its own file cannot be edited (409). Your organization must have ' +
  'shown within 90 days that the domain, or one above it, is its own (403). The revision that makes an ' +
  'entry has no number in the answer, the first edit is revision 2. With an `Idempotency-Key` the same ' +
  'request may be sent again: it is carried out once, and answered as it was then.'
export const saveErrors = [
  'invalid_request',
  'too_large',
  'unsupported_media_type',
  'conflict',
  'ownership_proof_required',
  'rate_limited',
  'unavailable',
] as const

const MOST_KB = 100

/** What is saved at once, as JSON, has a bound. */
export function bounded<Schema extends z.ZodType>(schema: Schema): Schema {
  const fits = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= MOST_KB * 1024
  return schema.refine(fits, `must be at most ${MOST_KB} KB`)
}

export const SavedDomain = PastedDomain.transform(text => text as Domain)

export const saveBrand = operation({
  id: 'saveBrand',
  method: 'POST',
  path: '/api/brands/save',
  group: 'Brand Resolution',
  summary: 'Save a brand that publishes no brand.json, or edit it',
  description: `A manifest that is left out stays as it is; null takes it away. Of what it says, contacts and e-mail addresses are left out. ${rules}`,
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  body: z.object({
    domain: SavedDomain,
    brand_name: BrandName,
    brand_manifest: bounded(BrandManifest).nullable().exactOptional(),
  }),
  reply: { 200: BrandSaved },
  errors: saveErrors,
  handle: async ({ body, principal, attempt, services }) => {
    const { domain } = body
    const saved = await submitOnce(
      services,
      attempt,
      { op: 'brand.save', revision_id: attempt, editor: editorOf(principal), ...body },
      { domain },
    )
    return ok({ ...savedAnswer(saved, 'Brand'), domain })
  },
})

export const saveProperty = operation({
  id: 'saveProperty',
  method: 'POST',
  path: '/api/properties/save',
  group: 'Property Resolution',
  summary: 'Save the properties of a publisher that publishes no adagents.json, or edit them',
  description:
    'The properties and the contact are replaced. Who may sell them is said in the publisher’s own ' +
    `file alone: \`authorized_agents\` is taken and dropped. ${rules}`,
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  body: z.object({
    publisher_domain: SavedDomain,
    properties: bounded(z.array(SavedProperty).max(500).default([])),
    contact: Contact.exactOptional(),
    authorized_agents: z.unknown().optional().meta({ description: 'without effect' }),
  }),
  reply: { 200: PropertySaved },
  errors: saveErrors,
  handle: async ({ body, principal, attempt, services }) => {
    const { publisher_domain: domain, authorized_agents: _, ...rest } = body
    const saved = await submitOnce(
      services,
      attempt,
      { op: 'property.save', revision_id: attempt, domain, editor: editorOf(principal), ...rest },
      { domain },
    )
    return ok(savedAnswer(saved, 'Properties'))
  },
})

/** As an edit names who makes it. */
export function editorOf({ kind, id, org_id }: Principal) {
  return { kind, id, org_id: org_id ?? null }
}

function savedAnswer(saved: Record<string, unknown>, what: string) {
  const { entry_id, revision_number, review_id } = saved
  const isNew = revision_number === 1
  const waits = review_id === undefined ? '' : '; it is shown once a person has looked at its name'
  return {
    success: true,
    message: `${what} saved${isNew ? '' : ` as revision ${revision_number}`}${waits}`,
    id: entry_id,
    ...(!isNew && { revision_number }),
    ...(review_id !== undefined && { review_status: 'pending' }),
  }
}
