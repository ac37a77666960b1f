import { z } from 'zod'
import {
  collectionKinds,
  collectionStatuses,
  distributionTypes,
  signalValueTypes,
} from '../documents/vocabulary.ts'
import {
  atMost,
  DateTime,
  filled,
  nonEmptyList,
  SignalTag,
  Slug,
  talentRoles,
  text,
  Uri,
  uniqueList,
} from '../file-parts.ts'

/** Parts of an adagents.json besides agents and properties. */

const wholeNumber = (least: number) => z.int().min(least)
const anyObject = z.record(text, z.unknown())

const ratingSystems = [
  'tv_parental',
  'mpaa',
  'podcast',
  'esrb',
  'bbfc',
  'fsk',
  'acb',
  'chvrs',
  'csa',
  'pegi',
  'custom',
] as const
const specialCategories = [
  'awards',
  'championship',
  'concert',
  'conference',
  'election',
  'festival',
  'gala',
  'holiday',
  'premiere',
  'product_launch',
  'reunion',
  'tribute',
] as const
/** Identifier types in files: a YouTube channel has only its id. */
const distributionTypesOfFiles = z
  .enum(distributionTypes)
  .exclude(['youtube_channel_handle', 'youtube_channel_url'])
const restrictedAttributes = [
  'racial_ethnic_origin',
  'political_opinions',
  'religious_beliefs',
  'trade_union_membership',
  'health_data',
  'sex_life_sexual_orientation',
  'genetic_data',
  'biometric_data',
  'age',
  'familial_status',
] as const

const Distribution = z.looseObject({
  publisher_domain: text,
  identifiers: nonEmptyList(z.strictObject({ type: distributionTypesOfFiles, value: text })),
})

const DeadlinePolicy = z
  .looseObject({
    booking_lead_days: wholeNumber(0).optional(),
    cancellation_lead_days: wholeNumber(0).optional(),
    material_stages: nonEmptyList(
      z.looseObject({ stage: text, lead_days: wholeNumber(0), label: text.optional() }),
    ).optional(),
    business_days_only: z.boolean().optional(),
  })
  .refine(policy => Object.keys(policy).length > 0, 'is empty: leave it out')

const Related = z.strictObject({
  collection_id: text,
  relationship: z.enum(['spinoff', 'companion', 'sequel', 'prequel', 'crossover']),
})

export const Collection = z.looseObject({
  collection_id: text,
  name: text,
  description: text.optional(),
  kind: z.enum(collectionKinds).optional(),
  genre: z.array(text).optional(),
  genre_taxonomy: text.optional(),
  language: text.optional(),
  content_rating: z.looseObject({ system: z.enum(ratingSystems), rating: text }).optional(),
  cadence: z.enum(['daily', 'weekly', 'monthly', 'seasonal', 'event', 'irregular']).optional(),
  season: text.optional(),
  status: z.enum(collectionStatuses).optional(),
  production_quality: z.enum(['professional', 'prosumer', 'ugc']).optional(),
  talent: z
    .array(z.looseObject({ role: z.enum(talentRoles), name: text, brand_url: Uri.optional() }))
    .optional(),
  special: z
    .looseObject({
      name: text,
      category: z.enum(specialCategories).optional(),
      starts: DateTime.optional(),
      ends: DateTime.optional(),
    })
    .optional(),
  limited_series: z
    .looseObject({
      total_installments: wholeNumber(1),
      starts: DateTime.optional(),
      ends: DateTime.optional(),
    })
    .optional(),
  distribution: z.array(Distribution).optional(),
  deadline_policy: DeadlinePolicy.optional(),
  related_collections: z.array(Related).optional(),
  ext: anyObject.optional(),
})

const FormatId = z
  .looseObject({
    agent_url: Uri,
    id: text.regex(/^[a-zA-Z0-9_-]+$/, 'must be letters, digits, _ and - only'),
    width: wholeNumber(1).optional(),
    height: wholeNumber(1).optional(),
    duration_ms: z.number().min(1).optional(),
  })
  .refine(({ width, height }) => (width === undefined) === (height === undefined), {
    error: 'must name width and height, or neither',
  })

export const PlacementDefinition = z
  .looseObject({
    placement_id: text,
    name: text,
    description: text.optional(),
    tags: uniqueList(text, 0).optional(),
    property_ids: nonEmptyList(Slug).optional(),
    property_tags: nonEmptyList(Slug).optional(),
    collection_ids: nonEmptyList(text).optional(),
    format_ids: nonEmptyList(FormatId).optional(),
    ext: anyObject.optional(),
  })
  .refine(
    placement => placement.property_ids !== undefined || placement.property_tags !== undefined,
    {
      error: 'must name property_ids or property_tags',
    },
  )

export const SignalDefinition = z.looseObject({
  id: text.regex(/^[a-zA-Z0-9_-]+$/, 'must be letters, digits, _ and - only'),
  name: filled(255),
  description: atMost(2_000).optional(),
  value_type: z.enum(signalValueTypes),
  tags: z.array(SignalTag).optional(),
  allowed_values: nonEmptyList(text).optional(),
  restricted_attributes: nonEmptyList(z.enum(restrictedAttributes)).optional(),
  policy_categories: nonEmptyList(text).optional(),
  range: z.looseObject({ min: z.number(), max: z.number(), unit: text.optional() }).optional(),
})

const FormatDeclaration = z.looseObject({
  format_kind: filled(255),
  format_option_id: filled(255).optional(),
  display_name: text.optional(),
  params: anyObject.optional(),
  sample_render_url: Uri.optional(),
  format_revision: text.optional(),
  reference_renderer: anyObject.optional(),
  applies_to_property_ids: nonEmptyList(Slug).optional(),
  applies_to_property_tags: nonEmptyList(Slug).optional(),
  experimental: z.boolean().optional(),
})

const tagMap = z.record(text, z.looseObject({ name: text, description: text }))

/** The other lists of a file, by field. */
export const Catalog = {
  formats: nonEmptyList(FormatDeclaration).optional(),
  tags: tagMap.optional(),
  placement_tags: tagMap.optional(),
  signal_tags: tagMap.optional(),
  catalog_etag: filled(255).optional(),
  catalog_role: z.literal('community_format_registry').optional(),
}
