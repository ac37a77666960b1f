import { z } from 'zod'
import { Identifier } from '../documents/index.ts'
import { originReasons } from '../hosted.ts'
import { PropertyName, PropertyType, PublisherDomain, Success } from '../shared-fields.ts'
import { SavedContact } from './properties.ts'

const text = z.string()

export const HostedAdagents = z
  .looseObject({
    $schema: text.optional().describe('URL of the schema that the file follows'),
    contact: SavedContact.optional(),
    authorized_agents: z
      .array(z.unknown())
      .length(0)
      .describe('Always empty: only a publisher itself authorizes agents'),
    properties: z
      .array(
        z.looseObject({
          property_id: text.optional().describe('ID of the property; absent if none was saved'),
          property_type: PropertyType,
          name: PropertyName,
          identifiers: z
            .array(Identifier)
            .min(1)
            .describe('Identifiers of the property, such as its domain'),
          tags: z.array(text).optional().describe('Tags of the property; absent if it has none'),
          publisher_domain: PublisherDomain,
        }),
      )
      .optional()
      .describe('Saved properties; absent if none fits the format'),
    last_updated: z.iso.datetime().describe('Time of the last save'),
  })
  .meta({
    id: 'HostedAdagents',
    description: 'An adagents.json built from the saved entry; it authorizes nobody',
  })

export const HostedBrandJson = z
  .looseObject({})
  .meta({ id: 'HostedBrandJson', description: 'A brand.json built from the saved entry' })

export const DomainClaimed = z
  .looseObject({
    success: Success,
    domain: text.describe('Claimed domain, normalized'),
    authoritative_location: z
      .url()
      .describe('URL to point to, which contains your organization’s claim'),
    instructions: text.describe('What to do next, in a sentence'),
  })
  .meta({
    id: 'DomainClaimed',
    description: 'The URL that a domain must point to in order to become yours',
  })

export const OriginVerified = z
  .looseObject({
    verified: z.boolean().describe('Whether the domain points to the file that is served for it'),
    reason: z
      .enum(originReasons)
      .describe(
        'Result of the check; `transient`, `invalid_json` and `unresolvable` are inconclusive and change nothing',
      ),
    checked_at: z.iso.datetime().describe('Time of the check'),
    detail: text
      .optional()
      .describe('Human-readable form of `reason`, in a sentence; absent if `reason` says it all'),
    bound_org_id: text
      .optional()
      .describe(
        'ID of the organization that the domain belongs to now; visible only to this organization',
      ),
  })
  .meta({
    id: 'OriginVerified',
    description:
      'Whether the domain points to its hosted file now; an inconclusive check changes nothing',
  })

export const BrandSetUp = z
  .looseObject({
    domain: text.describe('Domain of the brand, without `www.`'),
    has_brand_json: z
      .boolean()
      .describe('Whether the domain publishes its own file; if so, nothing was saved'),
    hosted_brand_json_url: z.url().describe('URL at which the registry serves the file'),
    pointer_snippet: text.describe(
      'Text to publish as /.well-known/brand.json to adopt the file; empty if domains cannot point to this registry',
    ),
    detail: text
      .optional()
      .describe('Why domains cannot point to this registry: it has no https URL; absent otherwise'),
  })
  .meta({ id: 'BrandSetUp', description: 'A brand whose file the registry serves' })

export const BrandSubmitted = z
  .looseObject({
    brand: z
      .looseObject({
        id: z.uuid().describe('ID of the review, for later requests'),
        domain: text.describe('Domain of the brand, normalized'),
        brand_name: text.describe('Name of the brand in the submission; otherwise the domain'),
        source: z
          .literal('community')
          .describe('Always `community`: the brand comes from a member'),
        review_status: z.literal('pending').describe('Always `pending`: a moderator decides'),
      })
      .describe('The brand as it was submitted'),
    review_status: z.literal('pending').describe('The same as `brand.review_status`'),
  })
  .meta({ id: 'BrandSubmitted', description: 'A brand waiting for review' })
