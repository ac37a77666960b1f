import { z } from 'zod'
import {
  AgentUrl,
  DiscoveryMethod,
  describeCut,
  ManagerDomain,
  PublisherDomain,
} from './shared-fields.ts'

/** Facts of a grant, as events of the feed and lists of grants tell them by the same names. */

const text = z.string()
const texts = z.array(text)
const count = z.int().nonnegative()

export const AuthorizationType = text.describe(
  'Type of selector in the entry, such as `property_ids` or `publisher_properties`',
)

/** Terms under which a grant holds. An absent one restricts nothing. */
export const grantTerms = {
  placement_ids: texts
    .optional()
    .describe('IDs of the placements that the grant is limited to; absent if it is not limited'),
  placement_tags: texts
    .optional()
    .describe('Tags of the placements that the grant is limited to; absent if it is not limited'),
  countries: texts
    .optional()
    .describe(
      'Countries that the grant is limited to, as two-letter codes; absent if it is not limited',
    ),
  effective_from: text.optional().describe('Start of the grant; absent if not stated'),
  effective_until: text.optional().describe('End of the grant; absent if there is none'),
}

const selected = {
  property_ids: texts
    .optional()
    .describe('IDs that select properties; absent if something else selects them'),
  ...describeCut('property_ids'),
  property_tags: texts
    .optional()
    .describe('Tags that select properties; absent if something else selects them'),
  ...describeCut('property_tags'),
}

const Selector = z.looseObject({
  publisher_domain: PublisherDomain,
  selection_type: text.describe('How the selector selects: `all`, `by_id` or `by_tag`'),
  ...selected,
})

const Collections = z.looseObject({
  publisher_domain: PublisherDomain,
  collection_ids: texts.describe('IDs that the publisher gives the collections'),
  ...describeCut('collection_ids'),
})

/** Selectors, terms and reach of a grant. Lists of more than 200 items are cut. */
export const grantFacts = {
  id: z.uuid().describe('ID of the grant, derived from its facts and its position in the file'),
  agent_url: AgentUrl.min(1),
  agent_url_canonical: AgentUrl.min(1).describe('The same as `agent_url`'),
  publisher_domain: PublisherDomain.min(1),
  authorization_type: AuthorizationType.min(1),
  ...selected,
  publisher_properties: z
    .array(Selector)
    .optional()
    .describe(
      'Selectors of the entry that name this publisher; absent if it selects in another way',
    ),
  ...describeCut('publisher_properties'),
  signal_ids: texts
    .optional()
    .describe('IDs of the signals that the entry grants; absent if it grants none by ID'),
  ...describeCut('signal_ids'),
  signal_tags: texts
    .optional()
    .describe('Tags of the signals that the entry grants; absent if it grants none by tag'),
  ...describeCut('signal_tags'),
  ...grantTerms,
  ...describeCut('placement_ids'),
  ...describeCut('placement_tags'),
  ...describeCut('countries'),
  collections: z
    .array(Collections)
    .optional()
    .describe(
      'Collections that the grant is limited to, by publisher; absent if it is not limited',
    ),
  ...describeCut('collections'),
  delegation_type: text
    .optional()
    .describe('How the agent sells: `direct`, `delegated` or `ad_network`; absent if not stated'),
  exclusive: z
    .boolean()
    .optional()
    .describe('Whether the entry claims to be exclusive; absent if not stated'),
  ...describeCut('signing_keys'),
  property_rids_total: count
    .optional()
    .describe(
      'Number of properties that the grant reaches; present if `property_rids` is truncated',
    ),
  property_rids_truncated: z
    .boolean()
    .optional()
    .describe(
      'True if the grant reaches more than `property_rids`: all properties that its selector matches, except `inline_only` ones',
    ),
  properties_authorized: count.optional().describe('Number of properties that the grant reaches'),
  publisher_wide: z
    .boolean()
    .optional()
    .describe('Whether the grant reaches all active properties of the publisher'),
  discovery_method: DiscoveryMethod.optional(),
  manager_domain: ManagerDomain.optional(),
}

export const PropertyRids = z
  .array(z.uuid())
  .describe(
    'IDs of the properties that the grant reaches; only the first 200 if a selector covers all of them',
  )
export const SigningKeys = z
  .array(z.looseObject({}))
  .describe('Public keys (JWK) that the publisher pins for the agent')
