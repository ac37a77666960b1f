import { z } from 'zod'
import { countThings } from '../../../pipeline/core/counts.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { findNearestWord } from '../../../pipeline/core/nearest-word.ts'
import { propertyTypes } from '../../../pipeline/model/documents/vocabulary.ts'
import { BrandSaved, PropertySaved } from '../../../pipeline/model/responses/saves.ts'
import { BrandManifest, BrandName, Contact, SavedProperty } from '../../../pipeline/model/save.ts'
import { isOwn } from '../../../pipeline/resolve/property-owners.ts'
import { toEditor } from '../../auth/editor.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { submitIdempotent } from '../../operation/idempotency.ts'
import { defineOperation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'

const rules =
  'A new name that imitates another one is rejected (400); a suspicious name appears only after a moderator ' +
  'approves it (`review_status`). A domain that serves its own file cannot be edited (409). Your organization must have ' +
  'verified the domain or a parent domain within the last 90 days (403). The response to the save that creates an entry has no revision number; the first edit is revision ' +
  '2.'
export const saveErrors = [
  'invalid_request',
  'too_large',
  'unsupported_media_type',
  'conflict',
  'ownership_proof_required',
  'rate_limited',
  'unavailable',
] as const

const VALUE_KB_MAX = 100

/** Limits the JSON size of a save. */
export function boundSchema<Schema extends z.ZodType>(schema: Schema): Schema {
  const isWithinBounds = (value: unknown) =>
    Buffer.byteLength(JSON.stringify(value)) <= VALUE_KB_MAX * 1024
  return schema.refine(isWithinBounds, `must be at most ${VALUE_KB_MAX} KB`)
}

export const SavedDomain = PastedDomain.transform(text => text as Domain)

/** Refuses a type that is most likely misspelt: no file that the registry hosts would contain the property. */
const TypedProperty = SavedProperty.superRefine(({ type }, context) => {
  const types: readonly string[] = propertyTypes
  const meant = types.includes(type) ? undefined : findNearestWord(type, types)
  if (meant === undefined) return
  const message = `must be a known property type. Did you mean ${JSON.stringify(meant)}?`
  context.addIssue({ code: 'custom', path: ['type'], message })
})

export const saveBrand = defineOperation({
  id: 'saveBrand',
  method: 'POST',
  path: '/api/brands/save',
  group: 'Brand Resolution',
  summary: 'Save or edit a brand that publishes no brand.json',
  description: `If you leave out the manifest, it stays as it is; null removes it. Contacts and email addresses in it are dropped. ${rules}`,
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  query: OrganizationQuery,
  body: z.object({
    domain: SavedDomain,
    brand_name: BrandName.describe('Brand name, as shown to everyone'),
    brand_manifest: boundSchema(BrandManifest)
      .nullable()
      .exactOptional()
      .describe(
        'Logos, colors, texts and other facts about the brand, at most 100 KB; null removes the saved ones',
      ),
  }),
  reply: { 200: BrandSaved },
  errors: saveErrors,
  handle: async ({ body, principal, submissionId, services }) => {
    const { domain } = body
    const saved = await submitIdempotent(
      services,
      submissionId,
      { op: 'brand.save', revision_id: submissionId, editor: toEditor(principal), ...body },
      { domain },
    )
    return replyOk({ ...replySaved(saved, 'Brand'), domain })
  },
})

export const saveProperty = defineOperation({
  id: 'saveProperty',
  method: 'POST',
  path: '/api/properties/save',
  group: 'Property Resolution',
  summary: 'Save or edit the properties of a publisher that publishes no adagents.json',
  description:
    'The properties and the contact are replaced. Only the publisher’s own file can authorize agents to sell ' +
    `them: \`authorized_agents\` is ignored. Properties of other domains are left out. \`message\` mentions both. ${rules}`,
  access: 'bearer',
  writes: true,
  quota: 'saves',
  cache: 'none',
  query: OrganizationQuery,
  body: z.object({
    publisher_domain: SavedDomain.describe('Domain that the properties belong to'),
    properties: boundSchema(z.array(TypedProperty).max(500).default([])).describe(
      'All properties of the publisher: they replace the saved ones',
    ),
    contact: Contact.exactOptional().describe('Contact for the entry, if any'),
    authorized_agents: z
      .unknown()
      .optional()
      .meta({ description: 'No effect: only the publisher’s own file authorizes agents' }),
  }),
  reply: { 200: PropertySaved },
  errors: saveErrors,
  handle: async ({ body, principal, submissionId, services }) => {
    const { publisher_domain: domain, authorized_agents, ...rest } = body
    const properties = rest.properties.filter(property => isOwn(property, domain))
    const leftOut = rest.properties.length - properties.length
    const saved = await submitIdempotent(
      services,
      submissionId,
      {
        op: 'property.save',
        revision_id: submissionId,
        domain,
        editor: toEditor(principal),
        ...rest,
        properties,
      },
      { domain },
    )
    const namesAgents = [authorized_agents ?? []].flat().length > 0
    const isEmpty = properties.length === 0
    return replyOk(replySaved(saved, 'Properties', { leftOut, namesAgents, isEmpty }))
  },
})

/** Replies with a save; its message says what was left out of the request. */
function replySaved(
  saved: Record<string, unknown>,
  what: string,
  { leftOut = 0, namesAgents = false, isEmpty = false } = {},
) {
  const { entry_id, revision_number, review_id } = saved
  const isNew = revision_number === 1
  const waits =
    review_id === undefined ? '' : '; it is shown once a moderator has approved its name'
  const without =
    leftOut === 0
      ? ''
      : `, without ${countThings(leftOut, 'property', 'properties')} of other domains`
  const empty = isEmpty
    ? '; no properties are left, so the registry hosts no file for this domain'
    : ''
  const ignored = namesAgents ? '; `authorized_agents` was ignored' : ''
  return {
    success: true,
    message: `${what} saved${isNew ? '' : ` as revision ${revision_number}`}${without}${empty}${waits}${ignored}`,
    id: entry_id,
    ...(!isNew && { revision_number }),
    ...(review_id !== undefined && { review_status: 'pending' }),
  }
}
