import { z } from 'zod'

const text = z.string()
const revision = z.int().positive()

const answer = {
  success: z.literal(true),
  message: text,
  id: z.uuid().meta({ description: 'of the entry, the same for all its revisions' }),
  review_status: z
    .literal('pending')
    .optional()
    .meta({ description: 'a person has to look at the name before the entry is shown' }),
  revision_number: revision.optional().meta({ description: 'absent where the entry is new' }),
}

export const BrandSaved = z
  .looseObject({ ...answer, domain: text })
  .meta({ id: 'BrandSaved', description: 'A brand that was saved, or edited' })

export const PropertySaved = z
  .looseObject(answer)
  .meta({ id: 'PropertySaved', description: 'Properties that were saved, or edited' })

const entry = { id: z.uuid(), source: text, review_status: text, updated_at: z.iso.datetime() }

export const BrandRestored = z
  .looseObject({
    brand: z.looseObject({
      ...entry,
      domain: text,
      brand_name: text,
      brand_manifest: z.record(text, z.unknown()).optional(),
    }),
    revision_number: revision,
  })
  .meta({ id: 'BrandRestored', description: 'A brand as an earlier revision had left it' })

export const PropertyRestored = z
  .looseObject({
    property: z.looseObject({
      ...entry,
      publisher_domain: text,
      authorized_agents: z.array(z.unknown()).length(0),
      properties: z.array(z.looseObject({ property_rid: text, property_type: text, name: text })),
    }),
    revision_number: revision,
  })
  .meta({ id: 'PropertyRestored', description: 'Properties as an earlier revision had left them' })
