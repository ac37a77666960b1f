import { z } from 'zod'
import {
  authorizationTypes,
  channels,
  delegationTypes,
  identifierTypes,
  propertyTypes,
} from '../documents/index.ts'
import {
  atMost,
  BareDomain,
  Country,
  DateTime,
  EmailAddress,
  filled,
  HttpsUri,
  nonEmptyList,
  SignalTag,
  Slug,
  text,
  Uri,
  uniqueList,
} from '../file-parts.ts'
import {
  Catalog,
  Collection,
  PlacementDefinition,
  SignalDefinition,
} from './adagents-file-catalog.ts'

const Property = z.looseObject({
  property_id: Slug.optional(),
  property_type: z.enum(propertyTypes),
  name: text,
  identifiers: nonEmptyList(z.looseObject({ type: z.enum(identifierTypes), value: text })),
  tags: uniqueList(Slug, 0).optional(),
  supported_channels: uniqueList(z.enum(channels), 0).optional(),
  publisher_domain: text.optional(),
})

const SigningKey = z.looseObject({
  kid: text,
  kty: text,
  ...Object.fromEntries(
    ['alg', 'use', 'crv', 'x', 'y', 'n', 'e'].map(name => [name, text.optional()]),
  ),
  revoked_at: DateTime.optional(),
})

const EncryptionKey = z.strictObject({
  kid: atMost(8),
  kty: z.literal('OKP'),
  crv: z.literal('X25519'),
  use: z.literal('enc'),
  x: text,
})

const publisher = { publisher_domain: BareDomain }
/** Known to this registry; a reader of the published schema needs one selector per publisher. */
const publishers = { publisher_domains: z.array(text).optional() }
const selecting = { error: 'must be "all", "by_id" or "by_tag"' }
const Selector = z.discriminatedUnion(
  'selection_type',
  [
    z.looseObject({ selection_type: z.literal('all'), ...publisher, ...publishers }),
    z.looseObject({
      selection_type: z.literal('by_id'),
      ...publisher,
      property_ids: nonEmptyList(Slug),
    }),
    z.looseObject({
      selection_type: z.literal('by_tag'),
      ...publisher,
      ...publishers,
      property_tags: nonEmptyList(Slug),
    }),
  ],
  selecting,
)

const anyEntry = {
  url: Uri,
  authorized_for: filled(500),
  signing_keys: nonEmptyList(SigningKey).optional(),
  encryption_keys: nonEmptyList(EncryptionKey).optional(),
  last_updated: DateTime.optional(),
}

/** Terms of an entry about properties. */
const terms = {
  collections: nonEmptyList(
    z.looseObject({ ...publisher, collection_ids: nonEmptyList(text) }),
  ).optional(),
  placement_ids: nonEmptyList(text).optional(),
  placement_tags: uniqueList(text).optional(),
  delegation_type: z.enum(delegationTypes).optional(),
  exclusive: z.boolean().optional(),
  countries: uniqueList(Country).optional(),
  effective_from: DateTime.optional(),
  effective_until: DateTime.optional(),
}

const entry = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.looseObject({ authorization_type: z.literal(type), ...anyEntry, ...shape })

const granting = {
  error: `must be one of ${authorizationTypes.map(type => `"${type}"`).join(', ')}`,
}
const Entry = z.discriminatedUnion(
  'authorization_type',
  [
    entry('property_ids', { ...terms, property_ids: nonEmptyList(Slug) }),
    entry('property_tags', { ...terms, property_tags: nonEmptyList(Slug) }),
    entry('inline_properties', { ...terms, properties: nonEmptyList(Property) }),
    entry('publisher_properties', { ...terms, publisher_properties: nonEmptyList(Selector) }),
    entry('signal_ids', {
      signal_ids: nonEmptyList(
        text.regex(/^[a-zA-Z0-9_-]+$/, 'must be letters, digits, _ and - only'),
      ),
    }),
    entry('signal_tags', { signal_tags: nonEmptyList(SignalTag) }),
  ],
  granting,
)

const Contact = z.looseObject({
  name: filled(255),
  email: EmailAddress.max(255).optional(),
  domain: BareDomain.optional(),
  seller_id: filled(255).optional(),
  tag_id: filled(100).optional(),
  privacy_policy_url: Uri.optional(),
})

const Feature = z.looseObject({
  url: Uri,
  name: text,
  features: nonEmptyList(text),
  publisher_id: text.optional(),
})

const Revoked = z.looseObject({
  publisher_domain: BareDomain,
  revoked_at: DateTime,
  reason: z
    .enum(['relationship_ended', 'compliance_violation', 'publisher_request', 'other'])
    .optional(),
})

/** An adagents.json that only says where the file is. */
const AdagentsPointerFile = z.looseObject({
  $schema: text.optional(),
  authoritative_location: HttpsUri,
  last_updated: DateTime.optional(),
})

/**
 * An adagents.json that every reader accepts: known fields have the shape of the format, others are
 * ignored. Stricter than the crawler, which only drops what it cannot use.
 */
export const AdagentsFile = z.looseObject({
  $schema: text.optional(),
  contact: Contact.optional(),
  authorized_agents: z.array(Entry),
  properties: nonEmptyList(Property).optional(),
  collections: z.array(Collection).optional(),
  placements: nonEmptyList(PlacementDefinition).optional(),
  signals: nonEmptyList(SignalDefinition).optional(),
  ...Catalog,
  property_features: z.array(Feature).optional(),
  revoked_publisher_domains: z.array(Revoked).optional(),
  last_updated: DateTime.optional(),
})

/** An adagents.json by its variant. */
export const adagentsFiles = { inline: AdagentsFile, pointer: AdagentsPointerFile }

/** Any adagents.json, to tell which members there are. */
export const AnyAdagentsFile = z.union(Object.values(adagentsFiles))
