import { z } from 'zod'
import { Identifier } from './documents/index.ts'
import { describeCut } from './shared-fields.ts'

const text = z.string()
const count = z.int().nonnegative()

/** Classes of domains that are not inventory. */
export const domainTypes = ['ad_server', 'intermediary', 'cdn', 'tracker'] as const

const Input = text.describe('The line as sent')
const Canonical = text.describe('The domain that was read from the line')
const ReportId = z
  .uuid()
  .optional()
  .describe('ID for reading the report again for seven days; absent if it is not stored')

const NextCursor = text
  .nullable()
  .optional()
  .describe(
    'Pass as `cursor` when you read the report to get the rest of the lists; null on the last page, absent if the lists are complete or the report is not stored',
  )

const Removed = z.looseObject({
  input: Input,
  canonical: Canonical,
  reason: z
    .enum(['duplicate', 'blocked'])
    .describe(
      'Why the domain should be removed: `duplicate` (of another line) or `blocked` (it is not inventory)',
    ),
  domain_type: z.enum(domainTypes).optional().describe('Classification of a blocked domain'),
  blocked_reason: text.optional().describe('Why the domain is blocked, in a sentence'),
})
const Modified = z.looseObject({
  input: Input,
  canonical: Canonical,
  reason: z.enum(['www_stripped', 'm_stripped']).describe('Prefix that was removed'),
})
const Found = z.looseObject({
  domain: Canonical,
  source: z
    .enum(['hosted', 'adagents_json', 'catalog'])
    .describe(
      'Source: a member (`hosted`), the publisher’s file (`adagents_json`), or only the catalog (`catalog`)',
    ),
})

const lists = {
  remove: z.array(Removed).describe('Domains that should leave the list'),
  modify: z.array(Modified).describe('Domains to rename; they are in another list too'),
  assess: z.array(z.looseObject({ domain: Canonical })).describe('Unknown domains'),
  ok: z.array(Found).describe('Domains with known inventory'),
}
export type CheckedList = { [Name in keyof typeof lists]: z.infer<(typeof lists)[Name]> }

/** Fields about lists that were cut to keep the answer short; the stored report has all items. */
const cutLists = {
  ...describeCut('remove'),
  ...describeCut('modify'),
  ...describeCut('assess'),
  ...describeCut('ok'),
}

export const PropertyCheck = z
  .looseObject({
    summary: z
      .looseObject({
        total: count.describe('Number of lines in the request'),
        remove: count.describe('Number of domains that should leave the list'),
        modify: count.describe('Number of domains to rename'),
        assess: count.describe('Number of unknown domains'),
        ok: count.describe('Number of domains with known inventory'),
      })
      .describe('Counts of all entries, including those cut from the lists'),
    ...lists,
    ...cutLists,
    report_id: ReportId,
    next_cursor: NextCursor,
  })
  .meta({ id: 'PropertyCheck', description: 'Recommended action for each domain of a list' })
export interface DomainsChecked extends CheckedList {
  summary: { total: number; remove: number; modify: number; assess: number; ok: number }
}

export const verdicts = ['ready', 'known', 'ad_infra', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

export const CheckedIdentifier = z.object({
  input: Input,
  identifier: Identifier.describe('The identifier that was read from the line'),
  verdict: z
    .enum(verdicts)
    .describe(
      'Verdict: `ready` if a publisher lists the identifier, `known` if only the catalog has it, `ad_infra` if it is not inventory',
    ),
  classification: text
    .nullable()
    .describe('Classification of the property in the catalog; null if it is not there'),
  source: text.nullable().describe('Source that lists the identifier; null if it is unknown'),
  property_rid: text
    .nullable()
    .describe('ID of the property that the identifier belongs to; null if unknown'),
  action: z.enum(['use', 'verify', 'remove', 'assess']).describe('What to do with the identifier'),
})
export type CheckedIdentifier = z.infer<typeof CheckedIdentifier>

export const IdentifierCheck = z
  .looseObject({
    summary: z
      .looseObject({
        total: count.describe('Number of lines in the request'),
        ready: count.describe('Number of identifiers that a publisher lists'),
        known: count.describe('Number of identifiers that are only in the catalog'),
        ad_infra: count.describe('Number of identifiers that are not inventory'),
        unknown: count.describe('Number of identifiers that the registry does not know'),
        skipped: count.describe('Number of empty lines, comments and lines without an identifier'),
      })
      .describe('Counts of all entries, including those cut from the list'),
    entries: z.array(CheckedIdentifier).describe('One entry per line, in the same order'),
    ...describeCut('entries'),
    report_id: ReportId,
    next_cursor: NextCursor,
  })
  .meta({ id: 'IdentifierCheck', description: 'Facts about each identifier of a list' })
export interface IdentifiersChecked {
  summary: Record<Verdict | 'total' | 'skipped', number>
  entries: CheckedIdentifier[]
}
