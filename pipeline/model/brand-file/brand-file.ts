import { z } from 'zod'
import {
  agentTypes,
  architectures,
  kellerTypes,
  licenseTypes,
  operatorScopes,
  propertyTypes,
  redirectReasons,
  relationships,
  stores,
  trademarkStatuses,
} from '../documents/vocabulary.ts'
import {
  atMost,
  BareDomain,
  Country,
  DateTime,
  EmailAddress,
  filled,
  HexColor,
  HttpsUri,
  nonEmptyList,
  Slug,
  talentRoles,
  text,
  Uri,
  uniqueList,
} from '../file-parts.ts'
import { VisualGuidelines } from './brand-file-guidelines.ts'

const texts = z.array(text)
const anyObject = z.record(text, z.unknown())

const Name = z
  .record(text, text.min(1))
  .refine(
    name => Object.keys(name).length === 1,
    'must have one language, such as { "en": "Acme" }',
  )

const Logo = z.looseObject({
  url: Uri,
  orientation: z.enum(['square', 'horizontal', 'vertical', 'stacked']).optional(),
  background: z.enum(['dark-bg', 'light-bg', 'transparent-bg']).optional(),
  variant: z.enum(['primary', 'secondary', 'icon', 'wordmark', 'full-lockup']).optional(),
  tags: texts.optional(),
  usage: text.optional(),
  width: z.int().optional(),
  height: z.int().optional(),
})

const Color = z.union([HexColor, nonEmptyList(HexColor)], {
  error: 'must be a color such as #1A2B3C, or a list of colors',
})

const fontWeight = z.int().min(100).max(900)
const FontFile = z.looseObject({
  url: HttpsUri,
  weight: fontWeight.optional(),
  weight_range: z.array(fontWeight).min(2).max(2).optional(),
  style: z.enum(['normal', 'italic', 'oblique']).optional(),
})
const Font = z.union(
  [
    text,
    z.looseObject({
      family: text,
      files: z.array(FontFile).max(36).optional(),
      opentype_features: z
        .array(text.regex(/^[a-z0-9]{4}$/, 'must be a feature such as liga'))
        .max(20)
        .optional(),
      fallbacks: z.array(atMost(100)).max(10).optional(),
    }),
  ],
  'must be the name of a font, or an object such as { "family": "Inter" }',
)
const Fonts = z
  .record(text, Font)
  .refine(fonts => Object.keys(fonts).length <= 20, 'must have at most 20 roles')

const Asset = z.looseObject({
  asset_id: text,
  asset_type: z.enum([
    'image',
    'video',
    'audio',
    'text',
    'markdown',
    'html',
    'css',
    'javascript',
    'vast',
    'daast',
    'url',
    'webhook',
    'brief',
    'catalog',
  ]),
  url: Uri,
  tags: texts.optional(),
  name: text.optional(),
  description: text.optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  duration_seconds: z.number().optional(),
  file_size_bytes: z.int().optional(),
  format: text.optional(),
  metadata: anyObject.optional(),
})

const Property = z.looseObject({
  type: z.enum(propertyTypes),
  identifier: text.min(1),
  store: z.enum(stores).optional(),
  region: text
    .regex(/^([A-Z]{2}|global)$/, 'must be a country code such as GB, or global')
    .optional(),
  primary: z.boolean().optional(),
  relationship: z.enum(relationships).optional(),
})

const ProductCatalog = z.looseObject({
  feed_url: Uri,
  feed_format: z
    .enum(['google_merchant_center', 'facebook_catalog', 'openai_product_feed', 'custom'])
    .optional(),
  categories: texts.optional(),
  last_updated: DateTime.optional(),
  update_frequency: z.enum(['realtime', 'hourly', 'daily', 'weekly']).optional(),
  agentic_checkout: z
    .looseObject({
      endpoint: Uri,
      spec: z.literal('openai_agentic_checkout_v1'),
      supported_payment_providers: texts.optional(),
    })
    .optional(),
})

const Contestation = z
  .strictObject({
    url: HttpsUri.optional(),
    email: EmailAddress.optional(),
    languages: texts.optional(),
  })
  .refine(({ url, email }) => url !== undefined || email !== undefined, 'must have url or email')
  .optional()

const rightUses = z.enum([
  'likeness',
  'voice',
  'name',
  'endorsement',
  'motion_capture',
  'signature',
  'catchphrase',
  'sync',
  'background_music',
  'editorial',
  'commercial',
  'ai_generated_image',
])
const rights = {
  right_types: nonEmptyList(
    z.enum(['talent', 'character', 'brand_ip', 'music', 'stock_media']),
  ).optional(),
  countries: z.array(Country).optional(),
}
const Agents = z
  .array(
    z.looseObject({
      type: z.enum(agentTypes),
      url: HttpsUri,
      id: Slug.max(100),
      description: atMost(500).optional(),
      jwks_uri: HttpsUri.optional(),
      scope: uniqueList(
        z.enum(['spend_authority', 'delivery_monitor', 'brand_safety', 'regulatory_compliance']),
        0,
      ).optional(),
      available_uses: nonEmptyList(rightUses).optional(),
      ...rights,
    }),
  )
  .max(20)
  .optional()
const BrandAgent = z.looseObject({ url: HttpsUri, id: Slug }).optional()

const brand = {
  id: Slug,
  names: nonEmptyList(Name),
  url: Uri.optional(),
  keller_type: z.enum(kellerTypes).optional(),
  parent_brand: Slug.optional(),
  description: text.optional(),
  industries: nonEmptyList(text).optional(),
  target_audience: text.optional(),
  logos: z.array(Logo).optional(),
  colors: z.record(text, Color).optional(),
  fonts: Fonts.optional(),
  tone: z
    .union(
      [text, z.looseObject({ voice: text, attributes: texts, dos: texts, donts: texts }).partial()],
      'must be a string, or an object such as { "voice": "warm" }',
    )
    .optional(),
  tagline: z
    .union([text, nonEmptyList(Name)], 'must be a string, or names such as [{ "en": "Acme" }]')
    .optional(),
  assets: z.array(Asset).optional(),
  properties: z.array(Property).optional(),
  product_catalog: ProductCatalog.optional(),
  privacy_policy_url: Uri.optional(),
  data_subject_contestation: Contestation,
  disclaimers: z
    .array(z.looseObject({ text, context: text.optional(), required: z.boolean().optional() }))
    .optional(),
  voice_synthesis: z
    .looseObject({ provider: text, voice_id: text, settings: anyObject })
    .partial()
    .optional(),
  avatar: z
    .looseObject({ provider: text, avatar_id: text, settings: anyObject })
    .partial()
    .optional(),
  visual_guidelines: VisualGuidelines,
  agents: Agents,
  brand_agent: BrandAgent,
  rights_agent: z
    .looseObject({ url: HttpsUri, id: Slug, available_uses: nonEmptyList(rightUses), ...rights })
    .optional(),
  contact: z.looseObject({ email: EmailAddress, phone: text }).partial().optional(),
  collections: z
    .array(
      z.looseObject({
        name: text,
        collection_id: text.optional(),
        role: z.enum(talentRoles).optional(),
        seller_agent_url: Uri.optional(),
      }),
    )
    .optional(),
}

const House = z.looseObject({
  domain: BareDomain,
  name: text.min(1),
  names: z.array(Name).optional(),
  architecture: z.enum(architectures).optional(),
  agents: Agents,
  data_subject_contestation: Contestation,
})

const Contact = z
  .looseObject({
    name: filled(255),
    email: EmailAddress.max(255).optional(),
    domain: BareDomain.optional(),
  })
  .optional()

const Operator = z.looseObject({
  domain: BareDomain,
  brands: nonEmptyList(text.regex(/^([a-z0-9_]+|\*)$/, 'must be the ID of a brand, or *')),
  countries: z.array(Country).optional(),
  scopes: z.array(z.enum(operatorScopes)).optional(),
  valid_from: DateTime.optional(),
  valid_until: DateTime.optional(),
})

const Trademark = z.looseObject({
  registry: text,
  number: text,
  mark: text,
  status: z.enum(trademarkStatuses).optional(),
  license_type: z.enum(licenseTypes).optional(),
  licensor_domain: BareDomain.optional(),
  countries: z.array(Country).optional(),
  nice_classes: z.array(z.int().min(1).max(45)).optional(),
})

const BrandRef = z.strictObject({
  domain: BareDomain,
  brand_id: Slug,
  managed_by: text.optional(),
  effective_at: DateTime.optional(),
})

const head = { $schema: text.optional(), last_updated: DateTime.optional() }
const redirect = {
  ...head,
  redirect_reason: z.enum(redirectReasons).optional(),
  redirect_effective_at: DateTime.optional(),
  note: text.optional(),
}

/**
 * A brand.json that every reader accepts, by its variant: known members have the shape of the format, and only in
 * the file of one brand there may be others. Stricter than the crawler, which only drops what it cannot use.
 */
export const brandFiles = {
  authoritative_location: z.strictObject({ authoritative_location: HttpsUri, ...redirect }),
  house_redirect: z.strictObject({
    house: BareDomain,
    region: Country.optional(),
    ...redirect,
  }),
  house_portfolio: z.strictObject({
    ...head,
    house: House,
    brands: nonEmptyList(z.looseObject(brand)).optional(),
    brand_refs: nonEmptyList(BrandRef).optional(),
    version: text.optional(),
    default_language: text.optional(),
    contact: Contact,
    authorized_operators: z.array(Operator).optional(),
    trademarks: z.array(Trademark).optional(),
  }),
  brand_agent: z.strictObject({
    ...head,
    agents: Agents,
    brand_agent: BrandAgent,
    contact: Contact,
    data_subject_contestation: Contestation,
    version: text.optional(),
  }),
  brand_canonical: z.looseObject({
    ...head,
    ...brand,
    house_domain: BareDomain.optional(),
    version: text.optional(),
    default_language: text.optional(),
    trademarks: z.array(Trademark).optional(),
  }),
}

/** Any brand.json, to tell which members there are. */
export const AnyBrandFile = z.union(Object.values(brandFiles))
