import { z } from 'zod'
import { Identifier } from '../documents/index.ts'
import { listedGrantFacts } from '../operator-side.ts'
import {
  AgentUrl,
  AuthorizedFor,
  describeCut,
  PropertyId,
  PropertyName,
  PropertyRid,
  PropertyTags,
  PropertyType,
  PublisherDomain,
  pageEnd,
} from '../shared-fields.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()
const count = z.int().nonnegative()

export const ResolvedPropertyItem = z
  .looseObject({
    id: PropertyId.optional(),
    property_rid: PropertyRid,
    type: PropertyType,
    property_type: PropertyType.describe('The same as `type`'),
    name: PropertyName,
    identifiers: z.array(Identifier).describe('Identifiers of the property, such as its domain'),
    tags: PropertyTags,
    status: text.describe(
      'Status of the property: `active`, or `stale` if the publisher’s file no longer lists the property or can no longer be used',
    ),
  })
  .meta({ id: 'PropertyItem', description: 'A property as a publisher declares it' })

export const SavedContact = z
  .looseObject({
    name: text.optional().describe('Name of the person or team to contact'),
    email: text.optional().describe('Email address of the contact'),
  })
  .describe('Contact for the entry; only if a member who saved the properties gave one')

export const PropertyResolution = z
  .looseObject({
    publisher_domain: PublisherDomain,
    source: text.describe(
      'Source: the publisher’s own file (`adagents_json`), or a member (`hosted`; lists say `community`, the catalog and events `contributed`)',
    ),
    verified: z.boolean().describe('Whether the publisher’s own file is the source'),
    authorized_agents: z
      .array(
        z.looseObject({
          url: AgentUrl,
          authorized_for: AuthorizedFor.optional(),
          ...listedGrantFacts,
        }),
      )
      .describe('Agents with a grant in force, by URL'),
    properties: z.array(ResolvedPropertyItem).describe('Properties, active ones first'),
    contact: SavedContact.optional(),
    ...describeCut('authorized_agents'),
    ...describeCut('properties'),
    freshness: FreshnessBlock.optional(),
  })
  .meta({
    id: 'PropertyResolution',
    description:
      'A publisher’s inventory and its agents; if a list is cut, the publisher lookup has all of it',
  })
export type PropertyResolution = z.infer<typeof PropertyResolution>

export const PropertyItem = ResolvedPropertyItem.extend({
  domain: PublisherDomain.describe('The same as `publisher_domain`'),
  publisher_domain: PublisherDomain,
  source: text.describe(
    'Source: `adagents_json`, a member (`community`; the catalog and events say `contributed`) or a third party (`enriched`)',
  ),
  verified: z.boolean().describe('Whether the publisher’s own file is the source'),
  property_count: count.describe('Number of active properties of the publisher'),
  agent_count: count.describe('Number of agents that the publisher authorizes'),
}).meta({ id: 'ListedProperty', description: 'A property, with the counts of its publisher' })
export type PropertyItem = z.infer<typeof PropertyItem>

export const PropertyStats = z
  .looseObject({
    total: count.describe('Number of active properties that match the search'),
    community: count.describe('Number of properties saved by a member or found by a third party'),
    adagents_json: count.describe('Number of properties from publishers’ own files'),
    hosted: count.describe(
      'Always 0: properties whose file the registry serves count as `community`',
    ),
  })
  .meta({
    id: 'PropertyStats',
    description: 'Counts of the properties that match the search, whatever the source',
  })
export type PropertyStats = z.infer<typeof PropertyStats>

export const PropertyList = z
  .looseObject({
    properties: z
      .array(PropertyItem)
      .describe('Properties on this page, by rid; with `search`, best matches first'),
    stats: PropertyStats,
    properties_truncated: z
      .boolean()
      .optional()
      .describe('True if the page was cut because it would be too long'),
    ...pageEnd,
  })
  .meta({ id: 'PropertyList', description: 'A page of active properties' })
export type PropertyList = z.infer<typeof PropertyList>
