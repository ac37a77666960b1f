import { z } from 'zod'
import { toIso } from '../../../pipeline/core/clock.ts'
import { AccountRef, CallersId } from '../accounts.ts'
import { findPropertyList, Identifier } from '../governance/property-list.ts'
import { buildMatcher, isOfWeb, resolveProperties } from '../governance/resolve-properties.ts'
import { defineTask } from '../task.ts'

const RECORDS_MAX = 10_000
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

const DeliveryRecord = z.object({
  record_id: CallersId.optional(),
  identifier: Identifier,
  impressions: z.number().int().min(0),
})
type DeliveryRecord = z.infer<typeof DeliveryRecord>

const statuses = ['compliant', 'non_compliant', 'not_covered', 'unidentified'] as const
type Status = (typeof statuses)[number]

export const validatePropertyDelivery = defineTask({
  name: 'validate_property_delivery',
  title: 'Check delivery by a property list',
  description: 'Reports which impressions were on properties of a list and which were not',
  input: z.object({
    list_id: CallersId,
    account: AccountRef.optional(),
    records: z.array(DeliveryRecord).min(1).max(RECORDS_MAX),
    include_compliant: z.boolean().default(false),
  }),
  run({ list_id, account, records, include_compliant }, context) {
    const list = findPropertyList(list_id, account, context)
    const isListed = buildMatcher(resolveProperties(list).identifiers)
    const judged = records.map(record => ({ ...record, status: judge(record, isListed) }))
    return {
      compliant: judged.every(({ status }) => status === 'compliant'),
      list_id,
      summary: summarize(judged),
      results: judged
        .filter(({ status }) => include_compliant || status !== 'compliant')
        .map(({ identifier, record_id, status, impressions }) => ({
          identifier,
          ...(record_id !== undefined && { record_id }),
          status,
          impressions,
        })),
      validated_at: toIso(context.now),
      list_resolved_at: toIso(context.now),
      sandbox: true,
    }
  },
})

function judge(
  { identifier }: DeliveryRecord,
  isListed: (identifier: Identifier) => boolean,
): Status {
  if (isListed(identifier)) return 'compliant'
  const isUnreadable = isOfWeb(identifier.type) && !HOST.test(identifier.value)
  return isUnreadable ? 'unidentified' : 'non_compliant'
}

/** Counts records and impressions, of all and by their status. */
function summarize(judged: readonly (DeliveryRecord & { status: Status })[]) {
  const count = (name: string, records: readonly DeliveryRecord[]) => ({
    [`${name}_records`]: records.length,
    [`${name}_impressions`]: records.reduce((sum, { impressions }) => sum + impressions, 0),
  })
  const byStatus = statuses.map(status =>
    count(
      status,
      judged.filter(record => record.status === status),
    ),
  )
  return Object.assign({}, count('total', judged), ...byStatus)
}
