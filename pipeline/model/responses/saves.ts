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
const BrandDomain = text.describe('Domain of the brand, in its normal form')

const answer = {
  success: Success,
  message: text.describe('What was done, in a sentence'),
  id: EntryId,
  review_status: z
    .literal('pending')
    .optional()
    .describe('Present if the name must be approved before the entry is shown'),
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
    'Whether it is public (`approved`), or waits for review (`pending`)',
  ),
  updated_at: UpdatedAt,
}
const MadeRevision = revision.describe('Number of the revision that the rollback created')

export const EntryWithdrawn = z
  .looseObject({
    success: Success,
    message: text.describe('What was done, in a sentence'),
    domain: text.describe('Domain of the entry, in its normal form'),
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
          .describe('Manifest as restored; absent or null if there was none'),
        brand_json: z
          .record(text, z.unknown())
          .optional()
          .describe('File as restored; absent if there was none'),
        house_domain: text.optional().describe('House as restored; absent if there was none'),
        keller_type: text.optional().describe('Role as restored; absent if there was none'),
        parent_brand: text.optional().describe('Parent as restored; absent if there was none'),
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
              property_id: text.optional().describe('ID as saved; absent if none was given'),
              property_type: PropertyType,
              name: PropertyName,
              identifiers: z
                .array(Identifier)
                .optional()
                .describe('Identifiers of the property, such as its domain'),
              tags: PropertyTags.optional(),
            }),
          )
          .describe('Properties as restored'),
      })
      .describe('The entry as it is now'),
    revision_number: MadeRevision,
  })
  .meta({ id: 'PropertyRestored', description: 'Properties in the state of an earlier revision' })
