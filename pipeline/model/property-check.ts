import { z } from 'zod'
import { Identifier } from './documents/index.ts'
import { describeCut } from './shared-fields.ts'

const text = z.string()
const count = z.int().nonnegative()

export const domainTypes = ['ad_server', 'intermediary', 'cdn', 'tracker'] as const

const Input = text.describe('The line as it was given')
const Canonical = text.describe('The domain that the line means')
const ReportId = z
  .uuid()
  .optional()
  .describe('Id by which to read the answer again for seven days; absent where it is not kept')

const NextCursor = text
  .nullable()
  .optional()
  .describe(
    'Pass it as `cursor` to the report to get the rest of the lists; null at their end, absent where they are whole or the report is not kept',
  )

const Removed = z.looseObject({
  input: Input,
  canonical: Canonical,
  reason: z.enum(['duplicate', 'blocked']).describe('`blocked` where it is no inventory'),
  domain_type: z.enum(domainTypes).optional().describe('What a blocked domain is instead'),
  blocked_reason: text.optional().describe('Why it is blocked, in a sentence'),
})
const Modified = z.looseObject({
  input: Input,
  canonical: Canonical,
  reason: z.enum(['www_stripped', 'm_stripped']).describe('What was taken from its beginning'),
})
const Found = z.looseObject({
  domain: Canonical,
  source: z
    .enum(['hosted', 'adagents_json', 'catalog'])
    .describe('Who knows it: members, its publisher’s file, or the catalog'),
})

const listed = {
  remove: z.array(Removed).describe('Domains to drop'),
  modify: z.array(Modified).describe('Domains to write otherwise; they stand in another list too'),
  assess: z.array(z.looseObject({ domain: Canonical })).describe('Domains that nobody knows'),
  ok: z.array(Found).describe('Domains that are known inventory'),
}
export type CheckedList = { [Name in keyof typeof listed]: z.infer<(typeof listed)[Name]> }

/** Lists that may be cut to keep the answer short; the stored report has all of them. */
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
        total: count.describe('Lines that were given'),
        remove: count.describe('Domains to drop'),
        modify: count.describe('Domains to write otherwise'),
        assess: count.describe('Domains that nobody knows'),
        ok: count.describe('Domains that are known inventory'),
      })
      .describe('The lists, counted, whether or not they are cut'),
    ...listed,
    ...cutLists,
    report_id: ReportId,
    next_cursor: NextCursor,
  })
  .meta({ id: 'PropertyCheck', description: 'What is to be done about each domain of a list' })
export interface DomainsChecked extends CheckedList {
  summary: { total: number; remove: number; modify: number; assess: number; ok: number }
}

export const verdicts = ['ready', 'known', 'ad_infra', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

export const CheckedIdentifier = z.object({
  input: Input,
  identifier: Identifier.describe('The identifier that the line means'),
  verdict: z
    .enum(verdicts)
    .describe('`ready`: a publisher lists it; `known`: only the catalog; `ad_infra`: no inventory'),
  classification: text
    .nullable()
    .describe('What the catalog says it is; null where it is not in it'),
  source: text.nullable().describe('Who knows it; null where nobody does'),
  property_rid: text.nullable().describe('Property that it belongs to; null where none is known'),
  action: z.enum(['use', 'verify', 'remove', 'assess']).describe('What to do about it'),
})
export type CheckedIdentifier = z.infer<typeof CheckedIdentifier>

export const IdentifierCheck = z
  .looseObject({
    summary: z
      .looseObject({
        total: count.describe('Lines that were given'),
        ready: count.describe('Identifiers that a publisher lists'),
        known: count.describe('Identifiers that only the catalog knows'),
        ad_infra: count.describe('Identifiers that are no inventory'),
        unknown: count.describe('Identifiers that nobody knows'),
        skipped: count.describe('Lines that are empty, remarks, or name nothing'),
      })
      .describe('The entries, counted, whether or not they are cut'),
    entries: z.array(CheckedIdentifier).describe('One entry a line, in their order'),
    ...describeCut('entries'),
    report_id: ReportId,
    next_cursor: NextCursor,
  })
  .meta({ id: 'IdentifierCheck', description: 'What is known of each identifier of a list' })
export interface IdentifiersChecked {
  summary: Record<Verdict | 'total' | 'skipped', number>
  entries: CheckedIdentifier[]
}
