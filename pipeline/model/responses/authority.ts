import { z } from 'zod'
import { Identifier } from '../documents/index.ts'
import { AuthorizationType, grantTerms } from '../grant.ts'
import {
  grantFacts,
  listedGrantFacts,
  neededTerms,
  needsOfGrant,
  operatorSide,
} from '../operator-side.ts'
import {
  AgentUrl,
  AuthorizedFor,
  DiscoveryMethod,
  describeCut,
  describeListPart,
  ManagerDomain,
  MeantDomain,
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

export const Side = z.enum(['match', 'mismatch', 'unknown'])

export const Sides = z
  .looseObject({
    publisher: Side.describe(
      'Whether the publisher’s file authorizes the agent: `match` if it does, `mismatch` if it does not or while the parameter in `needs` is missing, and `unknown` if the publisher has no valid file or no active property with the identifier',
    ),
    operator: Side.describe(
      'Whether the operator’s brand.json confirms the authorization: `match` if `operator_side` is `confirmed`, `mismatch` if it is `contradicted`, and `unknown` if it is `silent` or `unknown`',
    ),
  })
  .meta({
    id: 'AuthorizationSides',
    description: 'Verdicts from the publisher’s adagents.json and the agent operator’s brand.json',
  })
const Needs = z
  .enum(neededTerms)
  .optional()
  .describe(
    'Parameter without which this cannot be decided, because a grant in force depends on it; absent if authorized, or if no such grant exists',
  )
const Confirmed = z.boolean().describe('Whether both sides confirm that the agent can sell')
const CheckedAt = text.describe('Time of the response')
const Identifiers = z.array(Identifier).describe('Identifiers of the property, such as its domain')

const EvidenceFile = z.looseObject({
  file: text.describe('URL at which the registry read the file'),
  file_state: text.describe('State of the file, such as `current`; see `freshness`'),
  fetched_at: text
    .optional()
    .describe('Time at which the file was last read; absent if it never was'),
})

export const Evidence = z
  .looseObject({
    side: z.enum(['publisher', 'operator']).describe('Party whose file the step is about'),
    domain: text.optional().describe('Domain of the publisher or operator; absent if unknown'),
    property_rid: PropertyRid.optional(),
    property_id: PropertyId.optional(),
    file: text.optional().describe('URL of the file that decided; absent if none did'),
    file_state: text.optional().describe('State of the file, such as `current`; see `freshness`'),
    fetched_at: text
      .optional()
      .describe('Time at which the file was last read; absent if it never was'),
    files: z
      .array(EvidenceFile)
      .optional()
      .describe('All files involved, such as a pointer and its target, if there are several'),
    entry: text
      .optional()
      .describe('Path of the entry in the file, such as `authorized_agents[0]`'),
    authorization_type: AuthorizationType.optional(),
    delegation_type: text
      .optional()
      .describe('Delegation in the file: `direct`, `delegated` or `ad_network`'),
    exclusive: z
      .boolean()
      .optional()
      .describe('True if the entry claims to be exclusive; this decides nothing'),
    ...grantTerms,
    collection_ids: z
      .array(text)
      .optional()
      .describe(
        'Collections of the publisher that the grant is limited to; absent if it is not limited',
      ),
    declared: z
      .array(
        z.looseObject({
          brand_id: text.describe('ID of the brand in the brand.json that lists the property'),
          type: text.describe('Declared type of property, such as `website`'),
          identifier: text.describe('Identifier of the declared property'),
          relationship: text.describe(
            'Declared relationship: `owned`, `direct`, `delegated` or `ad_network`',
          ),
        }),
      )
      .optional()
      .describe('Entries of the operator’s brand.json for the property; absent if there are none'),
    ...describeListPart('declared'),
    names_agent: z
      .boolean()
      .optional()
      .describe(
        'Whether the operator’s file names the agent; false if only the agent’s domain led there',
      ),
    rule: text.describe('Stable name of the rule that decided this step'),
    says: Side.describe('Verdict of this side'),
    text: text.describe('The step as a human-readable sentence'),
  })
  .meta({
    id: 'AuthorizationEvidence',
    description:
      'One step of the reasoning: which file and entry, when the file was last read, and which rule ' +
      'decided',
  })
export type Evidence = z.infer<typeof Evidence>

const explained = {
  evidence: z
    .array(Evidence)
    .optional()
    .describe('Steps of the reasoning; only with `explain=true`'),
  ...describeListPart('evidence'),
}

export const AsOf = text.describe('Time to which the response applies, if the request set `as_of`')

export const DidYouMean = z
  .array(AgentUrl)
  .describe(
    'What you probably meant, if no agent has the requested URL: the agent with `https` instead of `http`, or the agents on the host if the URL names only that',
  )

export const PublisherAuthorization = z
  .looseObject({
    publisher_domain: PublisherDomain,
    agent_url: AgentUrl,
    authorized: count.describe(
      'Number (not a boolean) of active properties that the publisher grants the agent and the operator does not contradict; a limited grant counts until the request names the parameter in `needs`',
    ),
    total: count.describe('Number of active properties of the publisher'),
    publisher_wide: z
      .boolean()
      .describe('Whether the agent can sell all active properties of the publisher'),
    source: text.describe('Source: always the publisher’s own file (`adagents_json`)'),
    authorized_for: AuthorizedFor.optional(),
    unauthorized_properties: z
      .array(
        z.looseObject({
          id: PropertyId.optional(),
          name: PropertyName.optional(),
          type: PropertyType.optional(),
        }),
      )
      .describe('Active properties that the agent cannot sell'),
    ...describeListPart('unauthorized_properties'),
    sides: Sides,
    confirmed: Confirmed,
    ...grantFacts,
    as_of: AsOf.optional(),
    freshness: FreshnessBlock,
    ...explained,
  })
  .meta({
    id: 'PublisherAuthorization',
    description: 'How many of a publisher’s properties an agent can sell',
  })
export type PublisherAuthorization = z.infer<typeof PublisherAuthorization>

export const AgentPublisher = z
  .looseObject({
    publisher_domain: PublisherDomain,
    discovery_method: DiscoveryMethod,
    manager_domain: ManagerDomain.nullable(),
    properties_authorized: count.describe(
      'Number of active properties with an ID that the agent can sell',
    ),
    properties_without_id: count
      .optional()
      .describe(
        'Number of other active properties that the agent can sell, but that have no ID; absent if 0',
      ),
    properties_total: count.describe('Number of active properties of the publisher'),
    property_ids: z
      .array(text)
      .optional()
      .describe('IDs of the properties that the agent can sell; only with `include=properties`'),
    signing_keys_pinned: z
      .boolean()
      .describe('Whether the publisher’s file pins the agent’s signing keys'),
    status: z
      .enum(['authorized', 'revoked'])
      .describe(
        'State of the authorization: `revoked` if the file with the grant lists the publisher as revoked',
      ),
    ...z.object(listedGrantFacts).partial().shape,
    last_verified_at: text.describe(
      'Time at which the file with the grant was last read; with `as_of`, the time at which it was first read with this content',
    ),
  })
  .meta({ id: 'AgentPublisher', description: 'What a publisher grants an agent' })
export type AgentPublisher = z.infer<typeof AgentPublisher>

export const AgentPublishers = z
  .looseObject({
    agent_url: AgentUrl,
    directory_indexed_at: text
      .nullable()
      .describe('The latest `last_verified_at` on this page; null on an empty page'),
    freshness: FreshnessBlock,
    publishers: z.array(AgentPublisher).describe('Publishers on this page, by domain'),
    as_of: AsOf.optional(),
    ...pageEnd,
  })
  .meta({ id: 'AgentPublishers', description: 'A page of an agent’s publishers' })
export type AgentPublishers = z.infer<typeof AgentPublishers>

export const PropertyLookup = z
  .looseObject({
    type: text.describe('Type of the requested identifier, such as `domain`'),
    value: text.describe('Requested identifier, as sent'),
    agents: z
      .array(
        z.looseObject({
          agent_url: AgentUrl,
          publisher_domain: PublisherDomain.describe(
            'Domain of the publisher that authorizes the agent',
          ),
          ...operatorSide,
          needs: needsOfGrant,
          property: z
            .looseObject({
              id: PropertyRid,
              property_rid: PropertyRid.describe('The same as `id`'),
              property_id: text.describe(
                'ID that the publisher’s file gives the property; otherwise its rid',
              ),
              publisher_domain: PublisherDomain,
              property_type: PropertyType,
              name: PropertyName,
              identifiers: Identifiers,
              tags: PropertyTags,
            })
            .describe('Property that the identifier names'),
        }),
      )
      .describe('Agents on this page, by publisher and URL'),
    as_of: AsOf.optional(),
    count: count.describe('Number of agents on this page'),
    freshness: FreshnessBlock.optional().describe(
      'How the files of the publishers that list the property were last read; absent with `as_of`, and for identifiers other than hosts that no publisher lists',
    ),
    ...describeCut('agents'),
    ...pageEnd,
  })
  .meta({
    id: 'PropertyLookup',
    description:
      'Agents that publishers authorize to sell ads on a property, and what the agents’ operators say',
  })

export const AgentDomains = z
  .looseObject({
    agent_url: text.describe('Requested URL, as sent'),
    domains: z.array(text).describe('Domains of the publishers on this page, by name'),
    grants: z
      .array(z.looseObject({ publisher_domain: PublisherDomain, ...listedGrantFacts }))
      .describe(
        'What each publisher grants, what the agent’s operator says about it, and what a check must include',
      ),
    count: count.describe('Number of domains on this page'),
    did_you_mean: DidYouMean.optional(),
    as_of: AsOf.optional(),
    freshness: FreshnessBlock,
    ...describeCut('domains'),
    ...pageEnd,
  })
  .meta({ id: 'AgentDomains', description: 'Publishers that authorize an agent' })

export const PropertyAuthorization = z
  .looseObject({
    agent_url: text.describe('Requested URL, as sent'),
    identifier_type: text.describe('Type of the requested identifier, such as `domain`'),
    identifier_value: text.describe('Requested identifier, as sent'),
    authorized: z
      .boolean()
      .describe(
        'Whether the publisher authorizes the agent and the operator does not contradict that',
      ),
    property_id: text
      .optional()
      .describe(
        'ID that the publisher’s file gives the property, otherwise its rid; absent if not authorized',
      ),
    property_rid: PropertyRid.optional(),
    publisher_domain: PublisherDomain.optional(),
    needs: Needs,
    sides: Sides,
    confirmed: Confirmed,
    ...operatorSide,
    did_you_mean: DidYouMean.optional(),
    checked_at: CheckedAt,
    as_of: AsOf.optional(),
    freshness: FreshnessBlock,
    ...explained,
  })
  .meta({ id: 'PropertyAuthorization', description: 'Whether an agent can sell ads on a property' })
export type PropertyAuthorization = z.infer<typeof PropertyAuthorization>

/** Members that only a question that was understood has. */
const judgedSale = {
  ...PropertyAuthorization.pick({
    agent_url: true,
    identifier_type: true,
    identifier_value: true,
    authorized: true,
    confirmed: true,
    needs: true,
    publisher_domain: true,
    property_id: true,
    property_rid: true,
  }).partial().shape,
  sides: Sides.optional(),
  publisher_side: Side.optional().describe(
    'The same as `sides.publisher`; CSV has only this one, since its columns are flat',
  ),
  operator_side: operatorSide.operator_side.optional(),
  operator_reason: operatorSide.operator_reason.optional(),
  freshness: FreshnessBlock.pick({ state: true })
    .optional()
    .describe('Whether the files behind the verdict are current'),
  state: FreshnessBlock.shape.state
    .optional()
    .describe('The same as `freshness.state`; CSV has only this one'),
}

export const CheckedSale = z
  .looseObject({
    line: z.int().positive().describe('Position of the pair, from 1'),
    ...judgedSale,
    error: text.optional().describe('Why the pair is invalid; absent if it is valid'),
    code: text.optional().describe('`invalid_request` if the pair is invalid'),
  })
  .meta({
    id: 'AuthorizationLine',
    description:
      'A line of the bulk check: whether the agent can sell, or what is wrong with the pair',
  })
export type CheckedSale = z.infer<typeof CheckedSale>

const JudgedSelector = z.looseObject({
  publisher_domain: PublisherDomain.nullable(),
  selection_type: text.describe('How the selector selects: `all`, `by_id` or `by_tag`'),
  requested_count: count.describe('Number of properties that the selector selects'),
  authorized_count: count.describe('Number of requested properties that the agent can sell'),
  unauthorized_items: z
    .array(text)
    .optional()
    .describe('What the agent cannot sell, as IDs, tags or names; absent if everything is granted'),
  ...describeCut('unauthorized_items'),
  source: z
    .enum(['adagents_json', 'agent_claim', 'none'])
    .describe('Source of the grant: the publisher’s file, or none (`none`)'),
  needs: Needs,
  sides: Sides,
  did_you_mean: MeantDomain,
})

export const ProductAuthorization = z
  .looseObject({
    agent_url: text.describe('Requested URL, as sent'),
    authorized: z.boolean().describe('Whether the agent can sell everything in the product'),
    coverage_percentage: count.describe('Share of the product that the agent can sell, in percent'),
    total_requested: count.describe('Number of properties in the product'),
    total_authorized: count.describe('Number of requested properties that the agent can sell'),
    selectors: z.array(JudgedSelector).describe('Results for each selector, in the given order'),
    unauthorized_items_next_cursor: text
      .nullable()
      .optional()
      .describe(
        'Pass as `unauthorized_items_cursor` to get the rest of `unauthorized_items`; null at the end',
      ),
    needs: Needs,
    sides: Sides,
    confirmed: Confirmed,
    did_you_mean: DidYouMean.optional(),
    checked_at: CheckedAt,
    as_of: AsOf.optional(),
    freshness: FreshnessBlock,
    ...explained,
  })
  .meta({ id: 'ProductAuthorization', description: 'Whether an agent can sell a whole product' })

export const ProductIdentifiers = z
  .looseObject({
    agent_url: text.describe('Requested URL, as sent'),
    properties: z
      .array(
        z.looseObject({
          publisher_domain: PublisherDomain,
          property_id: text.describe(
            'ID that the publisher’s file gives the property; otherwise its rid',
          ),
          property_rid: PropertyRid,
          property_name: PropertyName,
          property_type: PropertyType,
          identifiers: Identifiers,
          tags: PropertyTags,
        }),
      )
      .describe('Properties of the product that the agent can sell'),
    identifiers: z
      .array(
        Identifier.extend({
          property_id: text.describe(
            'ID of the property that the identifier names, as in `properties`',
          ),
          publisher_domain: PublisherDomain,
        }).loose(),
      )
      .describe('Identifiers of the properties on this page, as a flat list'),
    property_count: count.describe('Number of items in `properties`'),
    identifier_count: count.describe('Number of items in `identifiers`'),
    needs: z
      .enum(neededTerms)
      .optional()
      .describe('Parameter that the request lacks, so that some requested properties are left out'),
    ...describeCut('properties'),
    has_more: z.boolean().describe('Whether more properties follow after this page'),
    next_cursor: text
      .nullable()
      .describe('Pass as `cursor` in the body to get the next page; null on the last page'),
    did_you_mean: DidYouMean.optional(),
    as_of: AsOf.optional(),
    generated_at: text.describe('Time of the response'),
    ...explained,
  })
  .meta({
    id: 'ProductIdentifiers',
    description: 'Identifiers that a product consists of',
  })
