import { z } from 'zod'
import { requireValue } from '../core/present.ts'

/** Fields that several answers and requests share, each with its description. */

const text = z.string()
const count = z.int().nonnegative()

export const Success = z
  .literal(true)
  .describe('Always true; rejected requests return a 4xx status instead')

/** Part of the hash of a caller's address, by which strangers are told apart. */
export const CallerHash = z.string().regex(/^[\w-]{1,16}$/)

export const AgentUrl = text.describe(
  'URL of the agent in its normal form: scheme and host in lowercase, without default port, fragment or trailing slashes',
)
export const PublisherDomain = text.describe('Domain of the publisher that owns the inventory')
export const AuthorizedFor = text.describe(
  'What the agent can sell, in the publisher’s own words; absent if the file does not say',
)
export const ManagerDomain = text.describe(
  'Domain of the manager whose file applies to the publisher',
)
export const DiscoveryMethod = text.describe(
  'How the relevant file was found: `direct` on the domain itself, `authoritative_location` through a pointer, `ads_txt_managerdomain` through ads.txt; a claim of a manager’s file is `adagents_authoritative`',
)

export const MeantDomain = z
  .array(text)
  .optional()
  .describe('The domain without `www.`, if the registry knows only that one')

export const PropertyRid = z
  .uuid()
  .describe('Permanent ID of the property in this registry; it survives renames')
export const PropertyId = text.describe(
  'ID that the publisher’s file gives the property, unique within that publisher; absent if it gives none',
)
export const PropertyType = text.describe(
  'Type of property, such as `website` or `mobile_app`; an unknown type is shown as written',
)
export const PropertyName = text.describe('Name that the publisher gives the property')
export const PropertyTags = z
  .array(text)
  .describe('Tags that the publisher’s file gives the property; grants can select by them')

export const CreatedAt = z.iso
  .datetime()
  .describe('Time at which this record was added to the registry')
export const UpdatedAt = z.iso
  .datetime()
  .describe('Time at which this record last changed in the registry')

/** Members at the end of a page, the same on every list. */
export const pageEnd = {
  has_more: z.boolean().describe('Whether there are more items after this page'),
  next_cursor: text
    .nullable()
    .describe('Pass as `cursor` to get the next page; null on the last page'),
}

/** Describes the members of a list that an answer may cut: `<name>_total` and `<name>_truncated`. */
export function describeCut<Name extends string>(name: Name) {
  return {
    [`${name}_total`]: count
      .optional()
      .describe(`Total number of \`${name}\`; present if the list is truncated`),
    [`${name}_truncated`]: z
      .boolean()
      .optional()
      .describe(`True if \`${name}\` is truncated; absent otherwise`),
  } as Record<`${Name}_total`, z.ZodOptional<typeof count>> &
    Record<`${Name}_truncated`, z.ZodOptional<z.ZodBoolean>>
}

/** Describes the members of a list that is cut and paged by a cursor of its own. */
export function describeListPart<Name extends string>(name: Name) {
  return {
    ...describeCut(name),
    [`${name}_next_cursor`]: text
      .nullable()
      .optional()
      .describe(
        `Pass as \`${name}_cursor\` to get the rest of \`${name}\`; null at the end, absent if the list is complete`,
      ),
  } as ReturnType<typeof describeCut<Name>> &
    Record<`${Name}_next_cursor`, z.ZodOptional<z.ZodNullable<typeof text>>>
}

export const Editor = text.describe('Opaque ID of the editor; `system` for the registry itself')
export const EditSummary = text.describe('Summary of the edit, in one line')
export const RevisionNumber = count.describe(
  'Number of the revision; the first revision of an entry is 1',
)
export const IsRollback = z
  .boolean()
  .describe('Whether the edit restored an earlier revision, or stopped hosting the entry')
export const RolledBackTo = count
  .optional()
  .describe(
    'Number of the restored revision; 0 if the edit stopped hosting the entry; absent unless it is a rollback',
  )

/** Adds descriptions to the fields of a shape from a table of texts, which several shapes can share. */
export function describeFields<Shape extends Record<string, z.ZodType>>(
  shape: Shape,
  texts: { readonly [Name in keyof Shape]: string },
): Shape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      name,
      field.describe(requireValue(texts[name], `text of ${name}`)),
    ]),
  ) as Shape
}

export const PromotedFromSchema = z
  .string()
  .optional()
  .describe(
    'Schema that the file names, if it is an early version from which only the identity is read',
  )
