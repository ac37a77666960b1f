import { z } from 'zod'
import { originReasons } from './hosted.ts'

const text = z.string()

export const HostedAdagents = z
  .looseObject({
    authorized_agents: z.array(z.unknown()).length(0),
    properties: z.array(
      z.looseObject({
        property_type: text,
        name: text,
        identifiers: z.array(z.looseObject({ type: text, value: text })).min(1),
        publisher_domain: text,
      }),
    ),
    last_updated: z.iso.datetime(),
  })
  .meta({
    id: 'HostedAdagents',
    description: 'An adagents.json made of what was saved. It authorizes nobody',
  })

export const HostedBrandJson = z
  .looseObject({})
  .meta({ id: 'HostedBrandJson', description: 'A brand.json made of what was saved' })

export const DomainClaimed = z
  .looseObject({
    success: z.literal(true),
    domain: text,
    authoritative_location: z
      .url()
      .meta({ description: 'with a claim of your organization’s own' }),
    instructions: text,
  })
  .meta({ id: 'DomainClaimed', description: 'Where a domain must point to be yours' })

export const OriginVerified = z
  .looseObject({
    verified: z.boolean(),
    reason: z.enum(originReasons),
    checked_at: z.iso.datetime(),
    detail: text.optional(),
    bound_org_id: text.optional().meta({ description: 'told to that organization alone' }),
  })
  .meta({
    id: 'OriginVerified',
    description: 'Whether the domain points to its hosted file now; `transient` changes nothing',
  })

export const BrandSetUp = z
  .looseObject({
    domain: text,
    has_brand_json: z
      .boolean()
      .meta({ description: 'it publishes a file of its own: nothing was saved' }),
    hosted_brand_json_url: z.url(),
    pointer_snippet: text.meta({ description: 'what to serve as /.well-known/brand.json' }),
  })
  .meta({ id: 'BrandSetUp', description: 'A brand whose file the registry serves' })

export const BrandSubmitted = z
  .looseObject({
    brand: z.looseObject({
      id: z.uuid(),
      domain: text,
      brand_name: text,
      source: z.literal('community'),
      review_status: z.literal('pending'),
    }),
    review_status: z.literal('pending'),
  })
  .meta({ id: 'BrandSubmitted', description: 'A brand that waits for a moderator' })
