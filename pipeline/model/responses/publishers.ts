import { z } from 'zod'
import { LeftOutList } from '../documents/index.ts'
import { listedGrantFacts } from '../operator-side.ts'
import {
  AgentUrl,
  AuthorizedFor,
  DiscoveryMethod,
  describeCut,
  describeListPart,
  ManagerDomain,
  MeantDomain,
  PropertyRid,
  PublisherDomain,
} from '../shared-fields.ts'
import { FreshnessBlock } from './freshness.ts'
import { ResolvedPropertyItem } from './properties.ts'

const text = z.string()
const texts = z.array(text)
const count = z.int().nonnegative()
const anyObject = z.record(text, z.unknown())

export const MemberName = z
  .looseObject({
    slug: text.describe('Short name of the member, unique among members'),
    display_name: text.describe('Name under which the member is shown'),
  })
  .meta({ id: 'MemberName', description: 'A member of the registry with a public profile' })
export type MemberName = z.infer<typeof MemberName>

export const hostingModes = [
  'self',
  'self_invalid',
  'self_redirected',
  'aao_hosted',
  'none',
] as const

const Hosting = z
  .looseObject({
    mode: z
      .enum(hostingModes)
      .describe(
        'Where the file is served: `self` if a version of the domain’s own file is in force, `self_redirected` if the domain points to a file elsewhere, `aao_hosted` if the registry serves its file, `self_invalid` if its file cannot be used, `none` if it has no file',
      ),
    expected_url: text.describe('URL at which the domain would serve its own file'),
    resolved_url: text
      .optional()
      .describe('URL of the file that was finally read; absent if none was ever read'),
    hosted_url: text
      .optional()
      .describe('URL at which the registry serves a file for it; present with `aao_hosted`'),
    last_validated: text
      .optional()
      .describe('Time at which a valid file was last read; absent if it never was'),
    last_http_status: z
      .int()
      .optional()
      .describe('HTTP status of the last attempt; absent if no server responded'),
    origin_verified_at: text
      .optional()
      .describe(
        'Time from which the domain has pointed to the file that the registry serves for it',
      ),
    origin_last_checked_at: text
      .optional()
      .describe(
        'Time of the last check that the domain points to the file that the registry serves for it',
      ),
  })
  .describe('Where the publisher’s adagents.json is served, and how the last attempts went')

const PublisherFiles = z
  .looseObject({
    adagents_json: z
      .looseObject({
        status: z
          .enum(['valid', 'community', 'invalid', 'absent', 'unknown'])
          .describe(
            'Result of the last attempt, even while an earlier valid version is in force (`adagents_valid`); `community` if the domain has no usable file but members saved its properties, `unknown` if the file was not read yet or could not be reached',
          ),
        expected_url: text.describe('URL at which the domain would serve the file'),
        registry_url: text
          .optional()
          .describe('URL at which the registry serves a file, built from the saved entry'),
      })
      .describe('The file in which a publisher lists inventory and agents'),
    brand_json: z
      .looseObject({
        status: z
          .enum(['present', 'unknown'])
          .describe('Whether the brand of the domain is known: `present` if it is'),
        name: text.optional().describe('Name of the brand; absent if it is unknown'),
      })
      .describe('The file that declares a domain’s brand'),
  })
  .describe('Summary of the domain’s two files')

const PublisherAgent = z.looseObject({
  url: AgentUrl,
  authorized_for: AuthorizedFor.optional(),
  source: text.describe('Source: always the publisher’s own file (`adagents_json`)'),
  properties_authorized: count
    .optional()
    .describe(
      'Number of active properties that the agent can sell; absent beyond the counted agents',
    ),
  properties_total: count
    .optional()
    .describe('Number of active properties of the publisher; absent beyond the counted agents'),
  publisher_wide: z
    .boolean()
    .optional()
    .describe(
      'Whether the agent can sell all active properties of the publisher; absent beyond the counted agents',
    ),
  ...listedGrantFacts,
})

export const PlacementItem = z
  .looseObject({
    placement_id: text.describe('ID that the publisher’s file gives the placement'),
    name: text.describe('Display name of the placement'),
    description: text.optional().describe('What the placement is, in the publisher’s words'),
    tags: texts.describe('Tags that the publisher’s file gives the placement'),
    property_ids: texts.optional().describe('IDs of the properties on which the placement appears'),
    property_tags: texts
      .optional()
      .describe('Tags of the properties on which the placement appears; one match is enough'),
    collection_ids: texts
      .optional()
      .describe('IDs of the collections in which the placement appears'),
    channels: texts
      .optional()
      .describe('Channels under which the placement is sold, such as `display`'),
    format_options: z
      .array(anyObject)
      .optional()
      .describe('Formats that the placement accepts, as written'),
    source: text.describe('Source: always the publisher’s own file (`adagents_json`)'),
  })
  .meta({ id: 'Placement', description: 'An ad placement that a publisher declares' })
export type PlacementItem = z.infer<typeof PlacementItem>

const PublisherFormat = z.looseObject({
  format_kind: text.describe('Kind of format, such as `image`'),
  format_option_id: text
    .optional()
    .describe('ID that the publisher gives this option of the format'),
  display_name: text.describe('Human-readable name of the format'),
  params: anyObject.describe('Dimensions and limits of the format, as written'),
  sample_render_url: text.optional().describe('HTTPS URL of a rendered example of the format'),
  applies_to_property_ids: texts
    .optional()
    .describe('IDs of the properties that the format is limited to; absent if it is not limited'),
  applies_to_property_tags: texts
    .optional()
    .describe('Tags of the properties that the format is limited to; absent if it is not limited'),
  seller_preference: z
    .unknown()
    .optional()
    .describe('The seller’s preference for this format, as written'),
  experimental: z
    .boolean()
    .optional()
    .describe('Whether the publisher marks the format as experimental'),
})

const BrandCard = z
  .looseObject({
    name: text.optional().describe('Public name of the brand'),
    description: text.optional().describe('Description of the brand, in its own words'),
    logo_url: text.optional().describe('URL of the first logo of the brand'),
    colors: z
      .array(z.unknown())
      .optional()
      .describe('Colors of the brand, as written, at most six'),
    industries: texts.optional().describe('Industries of the brand, at most six'),
  })
  .describe('Name, description, logo and colors of the domain’s brand; absent if unknown')

export const PublisherLookup = z
  .looseObject({
    domain: text.describe('Requested domain, normalized'),
    member: MemberName.nullable().describe(
      'Member that the domain belongs to; null if there is none',
    ),
    adagents_valid: z
      .boolean()
      .nullable()
      .describe(
        'Whether a valid version of the file is in force, even if the last attempt found none (see `files`); null if the file could not be read yet',
      ),
    discovery_method: DiscoveryMethod.nullable(),
    manager_domain: ManagerDomain.nullable(),
    hosting: Hosting,
    files: PublisherFiles,
    network: z
      .looseObject({
        publisher_count: count.describe('Number of publishers whose file this domain manages'),
        valid_count: count.describe('Number of managed files that are valid'),
      })
      .optional()
      .describe('Publishers that this domain manages; absent if it manages none'),
    properties: z
      .array(
        ResolvedPropertyItem.extend({
          property_rid: PropertyRid.optional(),
          status: ResolvedPropertyItem.shape.status.optional(),
          source: text
            .optional()
            .describe(
              'Source: `adagents_json`, `brand_json`, or a member (`community`; the catalog and events say `contributed`)',
            ),
          delegation_type: text
            .optional()
            .describe(
              'How a brand.json says that the property is sold: `direct`, `delegated` or `ad_network`',
            ),
        }),
      )
      .describe('Properties of the publisher; if its own file lists none, those in its brand.json'),
    authorized_agents: z.array(PublisherAgent).describe('Agents with a grant in force, by URL'),
    ...describeCut('properties'),
    ...describeCut('authorized_agents'),
    has_more: z
      .boolean()
      .optional()
      .describe('Whether there are more items after this page; absent if nothing was cut or paged'),
    next_cursor: text
      .nullable()
      .optional()
      .describe('Pass as `cursor` to get the rest of the lists; absent or null at the end'),
    rollup_truncated: z
      .looseObject({
        cap: count.describe('Number of agents whose properties are counted'),
        total_agents: count.describe('Total number of agents, counted or not'),
      })
      .optional()
      .describe('Present if properties are counted only for the first agents'),
    left_out: z
      .array(LeftOutList)
      .optional()
      .describe(
        'Lists in the publisher’s file that are too broad and were read only in part; the rest is unknown',
      ),
    formats: z
      .array(PublisherFormat)
      .optional()
      .describe('Formats that the publisher’s own file declares, at most a hundred per page'),
    ...describeListPart('formats'),
    placements: z
      .array(PlacementItem)
      .optional()
      .describe(
        'Placements that the publisher’s own file declares; only with `include=placements`',
      ),
    ...describeListPart('placements'),
    brand: BrandCard.optional(),
    auto_crawl_triggered: z
      .literal(true)
      .optional()
      .describe('Present if the domain was never crawled before and this lookup started a crawl'),
    did_you_mean: MeantDomain,
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'PublisherLookup', description: 'A publisher’s inventory and its agents' })
export type PublisherLookup = z.infer<typeof PublisherLookup>

export const DomainLookup = z
  .looseObject({
    domain: text.describe('Requested domain, normalized'),
    authorized_agents: z
      .array(
        z.looseObject({
          url: AgentUrl,
          authorized_for: AuthorizedFor.optional(),
          member: MemberName.optional(),
          ...listedGrantFacts,
        }),
      )
      .describe('Agents with a grant in force, by URL'),
    ...describeCut('authorized_agents'),
    sales_agents_claiming: z
      .array(z.looseObject({ url: AgentUrl, member: MemberName.optional() }))
      .describe('Agents that claim to sell this publisher’s ads, which authorizes nothing'),
    did_you_mean: MeantDomain,
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'DomainLookup', description: 'Agents authorized for a domain' })
export type DomainLookup = z.infer<typeof DomainLookup>

export const PublisherEntry = z
  .looseObject({
    domain: PublisherDomain,
    member: MemberName.optional(),
    agent_count: count.describe('Number of agents with a grant in force'),
    last_validated: text
      .optional()
      .describe('Time at which a valid file was last read; absent if it never was'),
    has_valid_adagents: z
      .boolean()
      .describe('Whether the publisher’s file is valid: true for every listed publisher'),
  })
  .meta({ id: 'PublisherEntry', description: 'A publisher, as listed' })
export type PublisherEntry = z.infer<typeof PublisherEntry>
