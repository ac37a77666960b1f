import { z } from 'zod'
import { CheckedSale } from '../../../pipeline/model/responses/authority.ts'
import { parseSaleQuestions, SaleQuestions } from '../../inputs/sale-questions.ts'
import { type Call, defineOperation } from '../../operation/operation.ts'
import { type CheckedFormat, checkSales, formatChecked } from '../../responses/checked-sales.ts'
import { chooseEncoding } from '../../responses/compression.ts'
import { NDJSON, sendTexts } from '../../responses/ndjson.ts'

const CSV = 'text/csv; charset=utf-8'

export const authorizeInBulk = defineOperation({
  id: 'validateAuthorizations',
  method: 'POST',
  path: '/api/registry/validate/authorizations',
  group: 'Lookups & Authorization',
  summary: 'Check in bulk whether agents can sell ads on domains or other identifiers',
  description:
    'Takes JSON, or CSV as `text/csv` whose first line names the columns (`agent_url`, and `domain` or ' +
    '`identifier_type` and `identifier_value`). Streams one result per line of the list, in order, as NDJSON or ' +
    'CSV. Each verdict is the same as from `/api/registry/validate/property-authorization`, without placements or collections; `country` may be set on each line. An invalid line gets an `error`; the others get their verdict.',
  access: 'public',
  cache: 'none',
  limit: 'bulk',
  itemsLimit: 'authorizationsChecked',
  isExpensive: true,
  raw: true,
  bodyLimit: 'authorizationBodyBytes',
  bodyTypes: ['application/json', 'text/csv'],
  query: z.object({
    format: z
      .enum(['ndjson', 'csv'])
      .optional()
      .describe(
        'Format of the response; by default NDJSON, or CSV if the request accepts only CSV',
      ),
  }),
  body: z.custom<Buffer>(Buffer.isBuffer, 'is required').meta(SaleQuestions as { id: string }),
  reply: { 200: { type: [NDJSON, CSV], item: CheckedSale } },
  errors: ['invalid_request'],
  handle: ({ body, query, header, services: { reader, config, log } }) => {
    const type = String(header('content-type') ?? '')
    const questions = parseSaleQuestions(body, type, config.LIMITS.authorizationsChecked)
    const accepted = String(header('accept-encoding') ?? '')
    const isGzipped = chooseEncoding(accepted, ['gzip']) !== undefined
    const format = query.format ?? chooseFormat(header)
    return {
      headers: {
        'content-type': format === 'csv' ? CSV : NDJSON,
        vary: 'accept, accept-encoding',
        ...(isGzipped && { 'content-encoding': 'gzip' }),
      },
      open: response =>
        void sendTexts(response, formatChecked(checkSales(reader, questions), format), {
          log,
          isGzipped,
        }),
    }
  },
})

function chooseFormat(header: Call<unknown, unknown, unknown, 'public'>['header']): CheckedFormat {
  return /^text\/csv\b/i.test(String(header('accept') ?? '')) ? 'csv' : 'ndjson'
}
