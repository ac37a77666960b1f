import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { stripPii } from '../core/pii.ts'
import { parseUrl } from '../core/url.ts'
import { BrandDocument } from './documents/brand.ts'
import { Identifier, identifierTypes } from './documents/index.ts'
import { kellerTypes } from './documents/vocabulary.ts'
import { BrandCompany, BrandProfile, enrichers } from './enrichment.ts'
import { CallerHash } from './shared-fields.ts'

const NESTING_MAX = 20
/** NUL, and half of a surrogate pair: no store keeps them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is meant
const UNSTORABLE = /[\x00\p{Surrogate}]/u
const text = z.string().max(500).refine(isPlain, 'must be well-formed text without control codes')
const filled = text.trim().min(1)

/** Tells whether every store can hold a text unchanged. */
function isPlain(value: string): boolean {
  return !UNSTORABLE.test(value)
}

/**
 * Tells whether a JSON value can be stored: every text in it is well formed, and it is not nested too
 * deeply.
 */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isPlain(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === NESTING_MAX) return false
  return Object.entries(value).every(
    ([key, member]) => isPlain(key) && isStorable(member, depth + 1),
  )
}

/** The editor: a key or a user, with the organization if there is one, or the command line. */
export const Editor = z.object({
  kind: z.enum(['key', 'user', 'command']),
  id: z.string(),
  org_id: z.string().nullable(),
})
export type Editor = z.infer<typeof Editor>

export const BrandName = filled

const SubmittedText = z.string()
const HAS_SCHEME = /^\s*[a-z][a-z0-9+-]*:/i
const address = SubmittedText.refine(
  isWebAddress,
  'must be an address such as https://acme.example/',
)
const site = SubmittedText.refine(
  text => isWebAddress(text) || !HAS_SCHEME.test(text),
  'must be a web address, or a domain',
)
const hex = SubmittedText.regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1A2B3C')

const SavedLogo = z.looseObject({
  url: address.meta({ description: 'URL of the image file' }),
  tags: z
    .array(SubmittedText)
    .optional()
    .meta({ description: 'What the logo is for, such as `icon` or `dark`' }),
})

/** A list of `{hex, type}`, or colors by role as in brand.json files. */
const SavedColors = z.union([
  z.array(
    z.looseObject({
      hex: hex.meta({ description: 'Color as `#RRGGBB`' }),
      type: SubmittedText.optional().meta({ description: 'Role of the color, such as `primary`' }),
    }),
  ),
  z.record(SubmittedText, z.union([hex, z.array(hex)])),
])

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && parseUrl(text) !== undefined
}

/**
 * Name, description, logos, colors and other facts about a brand's appearance and texts. Contacts are left
 * out, since everything saved here is public.
 */
export const BrandManifest = z
  .looseObject({
    name: SubmittedText.optional().meta({ description: 'Public name of the brand' }),
    url: site.optional().meta({ description: 'URL of the brand’s website, or its domain' }),
    description: SubmittedText.optional().meta({
      description: 'What the brand is, in a few sentences',
    }),
    tagline: SubmittedText.optional().meta({ description: 'Short slogan of the brand' }),
    logos: z
      .array(SavedLogo)
      .optional()
      .meta({ description: 'Logos of the brand, the main one first' }),
    colors: SavedColors.optional().meta({
      description: 'Colors of the brand, as a list or by role',
    }),
    industries: z
      .array(SubmittedText)
      .optional()
      .meta({ description: 'Lines of business of the brand' }),
  })
  .refine(value => isStorable(value), `must be well-formed and at most ${NESTING_MAX} levels deep`)
  .transform(value => stripPii(value))

/** Schema of a brand.json as served and as parsed, without contact data. */
export const BrandFile = z.object({
  file: z.record(z.string(), z.unknown()),
  document: BrandDocument,
})
export type BrandFile = z.infer<typeof BrandFile>

/** Enrichment of a brand, as it may be stored and shown. */
const Findings = z
  .object({
    provider: z.enum(enrichers),
    manifest: BrandProfile,
    company: BrandCompany.exactOptional(),
  })
  .refine(value => isStorable(value), `must be well-formed and at most ${NESTING_MAX} levels deep`)
  .transform(value => stripPii(value))

/** Relations between brands, as their submitter declares them. */
export const relations = {
  house_domain: Domain.exactOptional().describe(
    'Domain of the house that the brand claims to belong to',
  ),
  keller_type: z.enum(kellerTypes).exactOptional().describe('Role of the brand in its house'),
  parent_brand: filled.exactOptional().describe('Parent brand in the same house'),
}

/** A saved property: unknown members are left out. */
export const SavedProperty = z.object({
  type: filled.describe('Type of property, such as `website`'),
  name: filled.describe('Display name of the property'),
  id: filled.exactOptional().describe('ID of the property, unique within the publisher'),
  identifiers: z
    .array(
      z.object({
        type: z.enum(identifierTypes).describe('Type of identifier, such as `domain`'),
        value: filled.describe('The identifier itself'),
      }),
    )
    .max(50)
    .default([])
    .describe('Identifiers of the property, such as domains and app IDs'),
  tags: z
    .array(filled)
    .max(100)
    .default([])
    .describe('Tags by which grants can select the property'),
})
export type SavedProperty = z.infer<typeof SavedProperty>

export const Contact = z.object({
  name: text.exactOptional().describe('Name of the person or team to contact'),
  email: text.exactOptional().describe('Email address of the contact'),
})
export type Contact = z.infer<typeof Contact>

/** A property of an entry, with its identity. */
export const HostedProperty = z.object({
  property_rid: z.uuid(),
  property_id: z.string().exactOptional(),
  property_type: z.string(),
  name: z.string(),
  identifiers: z.array(Identifier),
  tags: z.array(z.string()),
})
export type HostedProperty = z.infer<typeof HostedProperty>

const common = { revision_id: z.uuid(), domain: Domain, editor: Editor }

/** Operations on entries. An absent manifest stays as it is, null removes it; properties and contact are replaced. */
export const saveOperations = [
  z.object({
    op: z.literal('brand.save'),
    ...common,
    brand_name: BrandName,
    brand_manifest: BrandManifest.nullable().exactOptional(),
    /** Replaces the file that would be built from the other fields. */
    brand_json: BrandFile.exactOptional(),
    ...relations,
  }),
  /** Enrichment of a brand without a file and without an entry of a member. */
  z.object({
    op: z.literal('brand.enrich'),
    revision_id: z.uuid(),
    domain: Domain,
    enrichment: Findings,
    found_at: z.iso.datetime(),
    caller_hash: CallerHash.exactOptional(),
  }),
  /** Submits a brand for review, even when a moderator submits it. */
  z.object({
    op: z.literal('brand.submit'),
    ...common,
    brand_name: BrandName,
    brand_manifest: BrandManifest.exactOptional(),
    ...relations,
  }),
  z.object({
    op: z.literal('property.save'),
    ...common,
    properties: z.array(SavedProperty),
    contact: Contact.exactOptional(),
  }),
  z.object({
    op: z.literal('entry.rollback'),
    ...common,
    entity: z.enum(['brand', 'property']),
    /** Revision to restore; 0 is the state before the first revision: empty. */
    to_revision: z.int().min(0).max(0xffff_ffff),
    /** True if the editor may decide about other members' entries. */
    moderates: z.boolean(),
  }),
] as const
