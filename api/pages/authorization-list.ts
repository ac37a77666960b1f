import { z } from 'zod'
import { parseForm, readField, readSentText } from '../inputs/form-data.ts'
import { completeAgentAddress } from '../inputs/sale.ts'
import { parseSaleQuestions } from '../inputs/sale-questions.ts'
import { defineOperation, type Operation } from '../operation/operation.ts'
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
    const text = await readSentText(sent)
    const { reader, config } = services
    const most = config.LIMITS.authorizationsChecked
    const questions = parseSaleQuestions(Buffer.from(text), 'text/csv', most).map(asked =>
      'fault' in asked ? asked : { ...asked, agent_url: completeAgentAddress(asked.agent_url) },
    )
    const portions = checkSales(reader, questions)
    if (readField(sent, 'do') === 'download') return sendDownload(portions)
    const [{ showChecked }, { renderDocument }] = await Promise.all([
      import('./views/authorization-list.tsx'),
      import('./parts/document.tsx'),
    ])
    const view = showChecked(text, (await collect(portions)).flat())
    const document = renderDocument(view, services, PATH)
    return { status: 200, body: document, type: HTML, headers: pageHeaders }
  },
})

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
