import { z } from 'zod'
import { refuse } from '../../../pipeline/core/errors.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { IdentifierCheck, PropertyCheck } from '../../../pipeline/model/property-check.ts'
import { checkDomains } from '../../checks/check-domains.ts'
import { checkIdentifiers } from '../../checks/check-identifiers.ts'
import { describeTooMany, pageCursor } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { replyOk, replyRefused, type Sent } from '../../responses/reply.ts'
import { cutReport, type Report } from '../../responses/report-pages.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const retention =
  'You can read the report again for seven days with its `report_id`. If the report is truncated, pass `next_cursor` as `cursor` to `GET /api/properties/check/{reportId}`. `report_id` and `next_cursor` are absent if the report could not be stored.'
const refusals = ['invalid_request', 'too_large', 'unsupported_media_type', 'unavailable'] as const

export const checkPropertyList = defineOperation({
  id: 'checkPropertyList',
  method: 'POST',
  path: '/api/properties/check',
  group: 'Property Resolution',
  summary: 'Check a list of domains before you buy ads on them',
  description:
    'Sorts the domains into `ok` (keep), `remove` (a duplicate, or no inventory), `modify` (rename) and `assess` (review). A ' +
    `domain in \`modify\` is also in another list, under its new name. ${retention}`,
  access: 'public',
  cache: 'none',
  queriesSnapshot: true,
  body: z.object({
    domains: z.array(z.unknown()).meta({
      maxItems: limits.checkedNames,
      description: 'Domains to check; equivalent spellings are accepted',
    }),
  }),
  reply: { 200: PropertyCheck },
  errors: refusals,
  handle: async ({ body: { domains }, caller, services }) => {
    boundItems('domains', domains, services)
    return keep('domains', await checkDomains(domains, services.reader), caller(), services)
  },
})

export const checkIdentifierList = defineOperation({
  id: 'checkIdentifierList',
  method: 'POST',
  path: '/api/properties/check/bulk',
  group: 'Property Resolution',
  summary: 'Check a list of site and app identifiers',
  description:
    'Each line has a domain, an app ID or package name, or a store and an ID (`ROKU,12345`); empty ' +
    `lines and lines that begin with # are skipped. ${retention}`,
  access: 'public',
  cache: 'none',
  queriesSnapshot: true,
  body: z.object({
    identifiers: z.array(z.string()).meta({
      maxItems: limits.checkedNames,
      description: 'One identifier per line',
    }),
  }),
  reply: { 200: IdentifierCheck },
  errors: refusals,
  handle: async ({ body: { identifiers }, caller, services }) => {
    boundItems('identifiers', identifiers, services)
    const report = await checkIdentifiers(identifiers, services.reader)
    return keep('identifiers', report, caller(), services)
  },
})

export const readPropertyCheck = defineOperation({
  id: 'getPropertyCheck',
  method: 'GET',
  path: '/api/properties/check/:reportId',
  group: 'Property Resolution',
  summary: 'Get the report on a list of domains',
  access: 'public',
  cache: 'none',
  params: z.object({ reportId: z.string().describe('The `report_id` that the check returned') }),
  query: z.object({ cursor: pageCursor.describe('`next_cursor` of the previous page') }),
  reply: { 200: PropertyCheck },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: ({ params, query, services }) => find('domains', params.reportId, query, services),
})

export const readIdentifierCheck = defineOperation({
  id: 'getIdentifierCheck',
  method: 'GET',
  path: '/api/properties/check/bulk/:reportId',
  group: 'Property Resolution',
  summary: 'Get the report on a list of identifiers',
  access: 'public',
  cache: 'none',
  params: z.object({ reportId: z.string().describe('The `report_id` that the check returned') }),
  query: z.object({ cursor: pageCursor.describe('`next_cursor` of the previous page') }),
  reply: { 200: IdentifierCheck },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: ({ params, query, services }) => find('identifiers', params.reportId, query, services),
})

type Kind = 'domains' | 'identifiers'

function boundItems(kind: Kind, items: readonly unknown[], { config }: Services): void {
  const limit = config.LIMITS.checkedNames
  if (items.length > limit) refuse('invalid_request', describeTooMany(kind, limit))
}

async function keep(
  kind: Kind,
  report: Report,
  caller: string,
  { reports, clock }: Services,
): Promise<Sent> {
  const id = await reports.keep(kind, report, { caller, now: clock.now() })
  const { next_cursor, ...shown } = cutReport(report, 0)
  if (id === undefined) return replyOk(shown)
  return replyOk({ ...shown, report_id: id, ...(next_cursor !== undefined && { next_cursor }) })
}

async function find(
  kind: Kind,
  id: string,
  { cursor }: { cursor?: string | undefined },
  { reports }: Services,
): Promise<Sent> {
  const report = UUID.test(id) ? await reports.find(kind, id) : undefined
  return report
    ? replyOk(cutReport(JSON.parse(report.toString()), Number(cursor ?? 0)))
    : replyRefused('not_found', 'no such report, or it has expired', {})
}
