import { z } from 'zod'
import { Identifier } from '../documents/index.ts'
import { EnrichmentOrigin } from '../enrichment.ts'
import {
  PropertyName,
  PropertyRid,
  PropertyTags,
  PropertyType,
  PublisherDomain,
  Success,
  UpdatedAt,
} from '../shared-fields.ts'

const text = z.string()
const revision = z.int().positive()

const EntryId = z.uuid().describe('ID of the entry, the same for all its revisions')
const BrandDomain = text.describe('Domain of the brand, normalized')

const answer = {
  success: Success,
  message: text.describe('What was done, in a sentence'),
  id: EntryId,
  review_status: z
    .literal('pending')
    .optional()
    .describe(
      'Always `pending`; present if a moderator must approve the name before the entry is shown',
    ),
  revision_number: revision
    .optional()
    .describe('Number of the revision that the save created; absent if the entry is new'),
}

export const BrandSaved = z
  .looseObject({ ...answer, domain: BrandDomain })
  .meta({ id: 'BrandSaved', description: 'A saved or edited brand' })

export const PropertySaved = z
  .looseObject(answer)
  .meta({ id: 'PropertySaved', description: 'Saved or edited properties' })

const entry = {
  id: EntryId,
  source: text.describe('Source of the restored state: `community` or `enriched`'),
  review_status: text.describe(
    'Whether the entry is public (`approved`) or waiting for review (`pending`)',
  ),
  updated_at: UpdatedAt,
}
const MadeRevision = revision.describe('Number of the revision that the rollback created')

export const EntryWithdrawn = z
  .looseObject({
    success: Success,
    message: text.describe('What was done, in a sentence'),
    domain: text.describe('Domain of the entry, normalized'),
    revision_number: revision.describe('Number of the revision that ended the entry'),
  })
  .meta({ id: 'EntryWithdrawn', description: 'An entry that was withdrawn' })

export const BrandRestored = z
  .looseObject({
    brand: z
      .looseObject({
        ...entry,
        domain: BrandDomain,
        brand_name: text.nullable().describe('Name of the brand as restored'),
        brand_manifest: z
          .record(text, z.unknown())
          .nullable()
          .optional()
          .describe('Restored manifest of the brand; absent or null if there was none'),
        brand_json: z
          .record(text, z.unknown())
          .optional()
          .describe('Restored brand.json; absent if there was none'),
        house_domain: text
          .optional()
          .describe('Domain of the brand’s house, as restored; absent if there was none'),
        keller_type: text
          .optional()
          .describe('Role of the brand in its house, as restored; absent if there was none'),
        parent_brand: text
          .optional()
          .describe('Parent of the brand in the same house, as restored; absent if there was none'),
        enrichment: EnrichmentOrigin.optional(),
      })
      .describe('The brand as it is now'),
    revision_number: MadeRevision,
  })
  .meta({ id: 'BrandRestored', description: 'A brand in the state of an earlier revision' })

export const PropertyRestored = z
  .looseObject({
    property: z
      .looseObject({
        ...entry,
        publisher_domain: PublisherDomain,
        authorized_agents: z
          .array(z.unknown())
          .length(0)
          .describe('Always empty: only a publisher itself authorizes agents'),
        properties: z
          .array(
            z.looseObject({
              property_rid: PropertyRid,
              property_id: text
                .optional()
                .describe('ID of the property, as saved; absent if none was given'),
              property_type: PropertyType,
              name: PropertyName,
              identifiers: z
                .array(Identifier)
                .optional()
                .describe('Identifiers of the property, such as its domain'),
              tags: PropertyTags.optional(),
            }),
          )
          .describe('Restored properties of the publisher'),
      })
      .describe('The entry as it is now'),
    revision_number: MadeRevision,
  })
  .meta({ id: 'PropertyRestored', description: 'Properties in the state of an earlier revision' })
