import { z } from 'zod'
import { PublicError } from '../../pipeline/core/errors.ts'
import { parseForm, readField, readSentText } from '../inputs/form-data.ts'
import { completeAgentAddress } from '../inputs/sale.ts'
import { type AskedSale, parseSaleQuestions } from '../inputs/sale-questions.ts'
import { defineOperation, type Operation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { checkSales, formatChecked } from '../responses/checked-sales.ts'
import type { Sent } from '../responses/reply.ts'
import { definePage } from './define-page.ts'
import { HTML, pageHeaders } from './headers.ts'

const PATH = '/authorization/list'
const CSV = 'text/csv; charset=utf-8'

const form = definePage({
  id: 'authorizationListPage',
  path: PATH,
  summary: 'Show the form that checks many authorizations',
  load: () => import('./views/authorization-list.tsx') as never,
})

const checked = defineOperation({
  id: 'authorizationListCheck',
  method: 'POST',
  path: PATH,
  summary: 'Check the list in the form, or download the answers',
  access: 'public',
  cache: 'none',
  limit: 'bulk',
  isPage: true,
  isExpensive: true,
  raw: true,
  bodyLimit: 'authorizationBodyBytes',
  body: z.instanceof(Buffer),
  reply: { 200: { type: [HTML, CSV] } },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited', 'unavailable'],
  handle: async ({ body, header, services }) => {
    const sent = await parseForm(body, String(header('content-type') ?? ''))
    const { text } = await readSentText(sent)
    const read = readList(text, services)
    if (!('refused' in read) && readField(sent, 'do') === 'download')
      return sendDownload(checkSales(services.reader, read))
    const [{ showChecked, showRefused }, { renderDocument }] = await Promise.all([
      import('./views/authorization-list.tsx'),
      import('./parts/document.tsx'),
    ])
    const view =
      'refused' in read
        ? showRefused(text, read.refused)
        : showChecked(text, (await collect(checkSales(services.reader, read))).flat())
    const document = renderDocument(view, services, PATH)
    return { status: view.status ?? 200, body: document, type: HTML, headers: pageHeaders }
  },
})

/** Reads the rows of the form; a list that is none is shown again, with the reason. */
function readList(text: string, { config }: Services): AskedSale[] | { refused: PublicError } {
  try {
    const most = config.LIMITS.authorizationsChecked
    return parseSaleQuestions(Buffer.from(text), 'text/csv', most).map(asked =>
      'fault' in asked ? asked : { ...asked, agent_url: completeAgentAddress(asked.agent_url) },
    )
  } catch (error) {
    if (error instanceof PublicError && error.error === 'invalid_request') return { refused: error }
    throw error
  }
}

async function sendDownload(portions: ReturnType<typeof checkSales>): Promise<Sent> {
  const lines = await collect(formatChecked(portions, 'csv'))
  const headers = {
    ...pageHeaders,
    'content-disposition': 'attachment; filename="authorizations.csv"',
  }
  return { status: 200, body: lines.join(''), type: CSV, headers }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The page on which many authorizations are checked. */
export const authorizationListPages: readonly Operation[] = [form, checked]
