import { z } from 'zod'

const text = z.string()
const count = z.int().nonnegative()

export const domainTypes = ['ad_server', 'intermediary', 'cdn', 'tracker'] as const

const Removed = z.looseObject({
  input: text,
  canonical: text,
  reason: z.enum(['duplicate', 'blocked']),
  domain_type: z.enum(domainTypes).optional(),
  blocked_reason: text.optional(),
})
const Modified = z.looseObject({
  input: text,
  canonical: text,
  reason: z.enum(['www_stripped', 'm_stripped']),
})
const Found = z.looseObject({
  domain: text,
  source: z.enum(['hosted', 'adagents_json', 'catalog']),
})

const listed = {
  remove: z.array(Removed),
  modify: z.array(Modified),
  assess: z.array(z.looseObject({ domain: text })),
  ok: z.array(Found),
}
export type CheckedList = { [Name in keyof typeof listed]: z.infer<(typeof listed)[Name]> }

export const PropertyCheck = z
  .looseObject({
    summary: z.looseObject({
      ...{ total: count, remove: count, modify: count, assess: count, ok: count },
    }),
    ...listed,
    report_id: z.uuid().optional(),
  })
  .meta({ id: 'PropertyCheck', description: 'What is to be done about each domain of a list' })
export interface DomainsChecked extends CheckedList {
  summary: { total: number; remove: number; modify: number; assess: number; ok: number }
}

export const verdicts = ['ready', 'known', 'ad_infra', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

export const CheckedIdentifier = z.object({
  input: text,
  identifier: z.object({ type: text, value: text }),
  verdict: z.enum(verdicts),
  classification: text.nullable(),
  source: text.nullable(),
  property_rid: text.nullable(),
  action: z.enum(['use', 'verify', 'remove', 'assess']),
})
export type CheckedIdentifier = z.infer<typeof CheckedIdentifier>

export const IdentifierCheck = z
  .looseObject({
    summary: z.looseObject({
      ...{ total: count, ready: count, known: count, ad_infra: count, unknown: count },
      skipped: count,
    }),
    entries: z.array(CheckedIdentifier),
    entries_total: count.optional(),
    entries_truncated: z.boolean().optional(),
    report_id: z.uuid().optional(),
  })
  .meta({ id: 'IdentifierCheck', description: 'What is known of each identifier of a list' })
export interface IdentifiersChecked {
  summary: Record<Verdict | 'total' | 'skipped', number>
  entries: CheckedIdentifier[]
}
