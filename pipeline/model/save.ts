import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import { withoutPersonal } from '../core/personal.ts'
import { Identifier, identifierTypes } from './documents.ts'
import { BrandDocument } from './documents-brand.ts'
import { kellerTypes } from './documents-vocabulary.ts'

const MAX_DEPTH = 20
/** NUL, and half of a surrogate pair: no store keeps them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is meant
const UNSTORABLE = /[\x00\p{Surrogate}]/u
const text = z.string().max(500).refine(isPlain, 'must be well-formed text without control codes')
const filled = text.trim().min(1)

/** Text that every store takes as it is. */
function isPlain(value: string): boolean {
  return !UNSTORABLE.test(value)
}

/** Whether a value of JSON can be kept: every text in it, and no deeper than anybody reads. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isPlain(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === MAX_DEPTH) return false
  return Object.entries(value).every(
    ([key, member]) => isPlain(key) && isStorable(member, depth + 1),
  )
}

/** Whoever edits: a key or a user, for an organization if for any, or whoever has the command line. */
export const Editor = z.object({
  kind: z.enum(['key', 'user', 'command']),
  id: z.string(),
  org_id: z.string().nullable(),
})
export type Editor = z.infer<typeof Editor>

export const BrandName = filled
/**
 * Name, description, logos, colours and whatever else a brand says of its looks and words. How people
 * are reached is left out: whatever is saved here is shown to everybody.
 */
export const BrandManifest = z
  .record(z.string(), z.unknown())
  .refine(value => isStorable(value), `must be well-formed and at most ${MAX_DEPTH} levels deep`)
  .transform(value => withoutPersonal(value))

/** A brand.json as it is served, and as it was understood. Never with whom to write to. */
export const BrandFile = z.object({
  file: z.record(z.string(), z.unknown()),
  document: BrandDocument,
})
export type BrandFile = z.infer<typeof BrandFile>

/** How a brand stands to others, as whoever submits it says. */
export const relations = {
  house_domain: Domain.exactOptional(),
  keller_type: z.enum(kellerTypes).exactOptional(),
  parent_brand: filled.exactOptional(),
}

/** A property as it is saved: what is not read is left out. */
export const SavedProperty = z.object({
  type: filled,
  name: filled,
  id: filled.exactOptional(),
  identifiers: z
    .array(z.object({ type: z.enum(identifierTypes), value: filled }))
    .max(50)
    .default([]),
  tags: z.array(filled).max(100).default([]),
})
export type SavedProperty = z.infer<typeof SavedProperty>

export const Contact = z.object({ name: text.exactOptional(), email: text.exactOptional() })
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

/**
 * What may be asked about entries. A manifest that is left out stays as it is, null takes it away;
 * properties and contact are replaced.
 */
export const saveOperations = [
  z.object({
    op: z.literal('brand.save'),
    ...common,
    brand_name: BrandName,
    brand_manifest: BrandManifest.nullable().exactOptional(),
    /** Takes the place of the one that would be made of the rest. */
    brand_json: BrandFile.exactOptional(),
    ...relations,
  }),
  /** Waits for a moderator, whoever asks. */
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
    /** 0 is what stood before the first: nothing. */
    to_revision: z.int().min(0).max(0xffff_ffff),
    /** Whether the editor answers for what others saved too. */
    moderates: z.boolean(),
  }),
] as const
