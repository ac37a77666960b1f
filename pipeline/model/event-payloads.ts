import { z } from 'zod'
import { type BadgeLoss, BadgeRole, badgeLosses } from './badge.ts'
import { complianceStatuses, lifecycleStages } from './compliance.ts'
import { Identifier } from './documents/index.ts'
import { grantFacts, PropertyRids, SigningKeys } from './grant.ts'
import {
  AgentUrl,
  AuthorizedFor,
  CreatedAt,
  DiscoveryMethod,
  describeCut,
  ManagerDomain,
  PropertyName,
  PropertyRid,
  PropertyTags,
  PropertyType,
  PublisherDomain,
  UpdatedAt,
} from './shared-fields.ts'

/** Payloads of the feed's events: the facts of a thing after it changed. */

const text = z.string()
const texts = z.array(text)
const count = z.int()
const moment = z.iso.datetime()

/** Describes a list of an event; it is cut after 200. Events from before it was added lack it. */
const describeTurnover = <Name extends string>(name: Name, means: string) => ({
  ...({ [name]: texts.optional().describe(means) } as Record<Name, z.ZodOptional<typeof texts>>),
  ...describeCut(name),
})

export const ChangedFields = texts.min(1).describe('Names of the changed facts')

/** Facts of a property that every property event carries, so that a replica can place it. */
export const PropertyFacts = z.looseObject({
  property_rid: PropertyRid,
  publisher_domain: PublisherDomain,
})

const Identifiers = z.array(Identifier).describe('Identifiers of the property, such as its domain')

const EventProperty = z
  .looseObject({
    property_rid: PropertyRid.optional(),
    publisher_domain: PublisherDomain.optional(),
    property_id: text
      .optional()
      .describe('ID that the publisher’s file gives the property, if any'),
    property_type: PropertyType.optional(),
    name: PropertyName.optional(),
    identifiers: Identifiers.optional(),
    tags: PropertyTags.optional(),
    supported_channels: texts
      .optional()
      .describe('Channels that the publisher’s file names for the property'),
    categories: texts
      .optional()
      .describe('Content categories of the property, if the file names any'),
    category_taxonomy: text
      .optional()
      .describe('Taxonomy of the categories, if the file names one'),
    inline_only: z
      .literal(true)
      .optional()
      .describe(
        'True if only an entry of the file lists the property, so that no selector reaches it',
      ),
  })
  .describe('The complete property, as in the catalog')

export const PropertyCreated = PropertyFacts.extend({
  classification: text.describe('Classification: `property`, or a host of advertising systems'),
  source: text.describe(
    'Source: the publisher’s file (`authoritative`), a third party (`enriched`) or a member (`contributed`)',
  ),
  identifiers: Identifiers,
  property: EventProperty,
})

export const PropertyUpdated = PropertyCreated.extend({ changed_fields: ChangedFields })
export const Merged = z.looseObject({
  alias_rid: z.uuid().describe('ID of the removed record, which now leads to the remaining one'),
  canonical_rid: z.uuid().describe('ID of the record that remains'),
  evidence: text
    .optional()
    .describe('Why the two records are the same, in the words of the registry’s operator'),
})

export const CollectionFacts = z.looseObject({
  collection_rid: z.uuid().describe('Permanent ID of the collection in this registry'),
  publisher_domain: PublisherDomain,
  collection_id: text.optional().describe('ID that the publisher’s file gives the collection'),
  name: text.optional().describe('Display name of the collection'),
  kind: text.optional().describe('Kind of collection, such as `series`'),
  source: text.describe(
    'Source: the publisher’s file (`authoritative`), a third party (`enriched`) or a member (`contributed`)',
  ),
  status: z
    .enum(['active', 'removed'])
    .describe('Status after the change: `active` if a file lists the collection'),
  identifiers: z
    .array(
      z.object({
        publisher_domain: PublisherDomain.describe(
          'Domain of the platform that uses this identifier',
        ),
        ...Identifier.shape,
      }),
    )
    .describe('Identifiers of the collection on platforms'),
  collection: z.looseObject({}).describe('The collection, as its publisher describes it'),
})

export const AgentFacts = z.looseObject({ agent_url: AgentUrl })

export const AgentRemoved = AgentFacts.extend(
  describeTurnover(
    'removed_from_publishers',
    'Publishers that named the agent until this commit; empty if they were taken down',
  ),
)

/** Reach of an agent in the shape that replicas keep. Every key is always there. */
export const InventoryProfile = z
  .object({
    channels: texts.describe('Channels that the agent reaches or names itself'),
    property_types: texts.describe('Kinds of properties that the agent reaches, such as `website`'),
    markets: texts.describe('Countries in which the agent can sell, as two-letter codes'),
    categories: texts.describe(
      'Content categories of the collections, properties and placements that the agent reaches',
    ),
    tags: texts.describe('Tags of the properties that the agent reaches'),
    delivery_types: texts.describe('How the agent’s products are delivered, such as `guaranteed`'),
    format_kinds: texts.describe('Kinds of formats that the agent creates, accepts or sells'),
    property_count: count.describe('Number of active properties covered by grants in force'),
    publisher_count: count.describe('Number of publishers that authorize the agent'),
    has_tmp: z.boolean().describe('Whether the agent declares support for trusted match'),
    category_taxonomy: text
      .nullable()
      .describe('Taxonomy of `categories`; null if none or several are named'),
  })
  .describe('What an agent reaches, summed over all grants in force')
export type InventoryProfile = z.infer<typeof InventoryProfile>

export const AgentProfile = AgentFacts.extend({
  ...InventoryProfile.shape,
  name: text.describe('Name of the agent; its host if it has none'),
  type: text.describe('Type of the agent, such as `sales`; `unknown` if nothing indicates one'),
  inventory_profile: InventoryProfile,
})

const adcp_version = text.describe('Version of the protocol, as MAJOR.MINOR')
const badge_requalification_generation = text.describe(
  'Number of times that the agent has opted out: badges earned before the last opt-out no longer count',
)
const TestStatus = z.enum([...complianceStatuses, 'opted_out'])
const tracks = z.record(text, text).describe('Result for each part of the protocol')
const headline = text.nullable().describe('Test result in one line; null if there is none')

/** Results of an agent in the shape that replicas keep. */
export const ComplianceFacts = z.object({
  status: TestStatus.describe('Current test result of the agent'),
  lifecycle_stage: z
    .enum(lifecycleStages)
    .optional()
    .describe('Lifecycle stage of the agent, as set by its organization; absent after an opt-out'),
  tracks: tracks.optional(),
  streak_days: count.optional().describe('Number of full days for which every run has passed'),
  last_checked_at: moment
    .nullable()
    .optional()
    .describe('Time of the last run; null if there was none'),
  headline: headline.optional(),
})

export const ComplianceChanged = AgentFacts.extend({
  previous_status: TestStatus.describe(
    'Test result before the change; `unknown` if it was not tested',
  ),
  current_status: TestStatus.describe('Test result after the change; `unknown` if no longer shown'),
  headline,
  tracks,
  storyboards_passing: count.describe('Number of storyboards that the agent passes'),
  storyboards_total: count.describe('Number of storyboards with a verdict'),
  storyboards: z
    .array(
      z.object({
        storyboard_id: text.describe('ID of the storyboard that was run, or of its step'),
        status: text.describe(
          'Result of the last run: `passing`, `partial`, `failing` or `untested`',
        ),
        steps_passed: count.describe('Number of steps that passed in the last run'),
        steps_total: count.describe('Number of steps that the last run carried out'),
      }),
    )
    .describe('Last result of each storyboard that counts'),
  compliance_summary: ComplianceFacts.describe(
    'What replicas store; after an opt-out, only the status',
  ),
})

export const VerificationEarned = AgentFacts.extend({
  role: BadgeRole.describe('Part of the protocol that the badge is for'),
  adcp_version,
  verified_specialisms: texts.describe('Specialisms that the agent claims and has proven'),
  badge_requalification_generation,
})

export const VerificationLost = AgentFacts.extend({
  role: BadgeRole.describe('Part of the protocol that the badge was for'),
  adcp_version,
  reason: z.enum(Object.keys(badgeLosses) as [BadgeLoss, ...BadgeLoss[]]).describe(
    `Why the badge was lost: ${Object.entries(badgeLosses)
      .map(([name, means]) => `\`${name}\` (${means})`)
      .join(', ')}`,
  ),
  badge_requalification_generation,
})

export const PublisherFacts = z.looseObject({
  publisher_domain: PublisherDomain,
  agent_count: count.describe('Number of agents that the publisher’s file authorizes now'),
  property_count: count.describe('Number of active properties of the publisher'),
  collection_count: count.describe('Number of active collections of the publisher'),
  format_count: count.describe('Number of formats that the publisher’s file declares'),
  placement_count: count.describe('Number of placements that the publisher’s file declares'),
  changed_fields: texts.describe('Top-level fields of the file that changed'),
  ...describeTurnover('agents_added', 'Agents that the file names as of this commit'),
  ...describeTurnover('agents_removed', 'Agents that the file no longer names as of this commit'),
  ...describeTurnover('properties_added', 'Properties that are newly active as of this commit'),
  ...describeTurnover(
    'properties_removed',
    'Properties that are no longer active as of this commit',
  ),
  source: text.describe('Source: always the publisher’s own file (`adagents_json`)'),
  discovery_method: DiscoveryMethod,
  manager_domain: ManagerDomain.optional(),
})

/** A replica drops a grant with a null in it: an empty member is left out. */
export const Authorization = z.looseObject({
  ...grantFacts,
  authorized_for: AuthorizedFor.optional(),
  property_rids: PropertyRids,
  signing_keys: SigningKeys.optional(),
  evidence: text.optional().describe('Always `adagents_json`: only a publisher’s file grants'),
  disputed: z.boolean().optional().describe('Always false: grants of files are not disputed'),
  expires_at: text.optional().describe('End of the grant; absent if it has no end'),
  created_at: CreatedAt.optional(),
  updated_at: UpdatedAt.optional(),
})
