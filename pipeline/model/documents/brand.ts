import { z } from 'zod'
import { AsWritten } from './adagents.ts'
import {
  kellerTypes,
  licenseTypes,
  operatorScopes,
  relationships,
  trademarkStatuses,
} from './vocabulary.ts'

const text = z.string()
const moment = z.iso.datetime()

/** An agent that a brand or its house declares as its own. */
export const AgentDeclaration = z.object({
  /** One of `agentTypes`, or another one as written. */
  type: text,
  /** The address as declared. */
  url: text,
  /** `toAgentUrlKey(url)` */
  agent_url: text,
  id: text.exactOptional(),
  description: text.exactOptional(),
  jwks_uri: text.exactOptional(),
})
export type AgentDeclaration = z.infer<typeof AgentDeclaration>

/** Only `owned` binds a domain to the brand; the others are ways of selling it. */
export const BrandProperty = z.object({
  type: text,
  identifier: text,
  store: text.exactOptional(),
  region: text.exactOptional(),
  primary: z.boolean().exactOptional(),
  relationship: z.enum(relationships),
})
export type BrandProperty = z.infer<typeof BrandProperty>

export const BrandEntry = z.object({
  id: text,
  /** The first name under `en`, else the first of all. */
  name: text,
  names: z.array(z.record(text, text)),
  keller_type: z.enum(kellerTypes).exactOptional(),
  parent_brand: text.exactOptional(),
  url: text.exactOptional(),
  properties: z.array(BrandProperty),
  agents: z.array(AgentDeclaration),
  /** The other public fields as written: never `contact`. */
  manifest: AsWritten,
})
export type BrandEntry = z.infer<typeof BrandEntry>

export const BrandRef = z.object({
  domain: text,
  brand_id: text,
  effective_at: moment.exactOptional(),
  /** Time since which the house has continuously referred to it; only in stored documents. */
  first_seen_at: moment.exactOptional(),
})
export type BrandRef = z.infer<typeof BrandRef>

/**
 * Operators that may act for a house's brands. A restriction that is present but empty (`countries`,
 * `scopes`) admits nothing. In force from `valid_from` up to, and not including, `valid_until`.
 */
export const AuthorizedOperator = z.object({
  domain: text,
  /** Ids of brands; `*` selects every brand of the house. */
  brands: z.array(text).min(1),
  countries: z.array(text).exactOptional(),
  scopes: z.array(z.enum(operatorScopes)).exactOptional(),
  valid_from: moment.exactOptional(),
  valid_until: moment.exactOptional(),
})
export type AuthorizedOperator = z.infer<typeof AuthorizedOperator>

export const Trademark = z.object({
  registry: text,
  number: text,
  mark: text,
  status: z.enum(trademarkStatuses).exactOptional(),
  license_type: z.enum(licenseTypes),
  licensor_domain: text.exactOptional(),
  countries: z.array(text).exactOptional(),
  /** Nice classification, 1 to 45. */
  nice_classes: z.array(z.int()).exactOptional(),
})
export type Trademark = z.infer<typeof Trademark>

export const BrandAuthoritativeLocation = z.object({
  variant: z.literal('authoritative_location'),
  authoritative_location: text,
})

export const BrandHouseRedirect = z.object({
  variant: z.literal('house_redirect'),
  house: text,
  region: text.exactOptional(),
  redirect_reason: text.exactOptional(),
  redirect_effective_at: moment.exactOptional(),
})

/** A house with its brands. Binding only if `house.domain` is the domain that serves it: resolvers must compare. */
export const BrandHousePortfolio = z.object({
  variant: z.literal('house_portfolio'),
  house: z.object({
    domain: text,
    name: text,
    architecture: text.exactOptional(),
    agents: z.array(AgentDeclaration),
  }),
  brands: z.array(BrandEntry),
  brand_refs: z.array(BrandRef),
  authorized_operators: z.array(AuthorizedOperator),
  /** Trademarks of the house as a whole; those of one brand are in its manifest. */
  trademarks: z.array(Trademark),
  last_updated: moment.exactOptional(),
})

/** Promotion of a file of an early form, of which only the identity of one brand was read. */
export const BrandPromotion = z.object({
  schema: text,
  warnings: z.array(z.object({ field: text, message: text })),
})
export type BrandPromotion = z.infer<typeof BrandPromotion>

export const BrandCanonical = z.object({
  variant: z.literal('brand_canonical'),
  brand: BrandEntry,
  house_domain: text.exactOptional(),
  last_updated: moment.exactOptional(),
  promotion: BrandPromotion.exactOptional(),
})

export const BrandAgent = z.object({
  variant: z.literal('brand_agent'),
  agents: z.array(AgentDeclaration),
})

export const BrandDocument = z.discriminatedUnion('variant', [
  BrandAuthoritativeLocation,
  BrandHouseRedirect,
  BrandHousePortfolio,
  BrandCanonical,
  BrandAgent,
])
export type BrandDocument = z.infer<typeof BrandDocument>
