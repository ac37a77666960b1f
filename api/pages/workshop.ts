import { z } from 'zod'
import { type ProposedKind, proposedKinds } from '../../pipeline/parse/check-file.ts'
import { PastedDomain } from '../inputs/fields.ts'
import { readWorkshopForm } from '../inputs/workshop-form.ts'
import { defineOperation, type Operation } from '../operation/operation.ts'
import type { Sent } from '../responses/reply.ts'
import { createAsk } from './ask.ts'
import { definePage } from './define-page.ts'
import { HTML, pageHeaders } from './headers.ts'

const PATH = '/workshop'

const workshop = definePage({
  id: 'workshopPage',
  path: PATH,
  summary: 'Show a form on which a file is checked before it is served',
  query: z.object({
    domain: z.preprocess(value => value || undefined, PastedDomain.optional()),
    kind: z.enum(proposedKinds).default('adagents.json'),
  }),
  load: () => import('./views/workshop.tsx') as never,
})

const checkedFile = defineOperation({
  id: 'workshopCheck',
  method: 'POST',
  path: PATH,
  summary: 'Check the file in a form, or send it back as a download',
  access: 'public',
  cache: 'none',
  asksSnapshot: true,
  isPage: true,
  isLaborious: true,
  raw: true,
  body: z.instanceof(Buffer),
  reply: { 200: { type: [HTML, 'application/json'] } },
  errors: ['invalid_request', 'too_large', 'unsupported_media_type', 'rate_limited', 'unavailable'],
  handle: async call => {
    const form = await readWorkshopForm(call.body, String(call.header('content-type') ?? ''))
    if (form.isDownload) return sendDownload(form)
    const [{ showChecked }, { renderDocument }] = await Promise.all([
      import('./views/workshop.tsx'),
      import('./parts/document.tsx'),
    ])
    const view = await showChecked(form, { ...call, ask: createAsk(call as never) })
    const { isAuthorizationServer: hasDashboard, baseUrl } = call.services
    const body = renderDocument({ ...view, hasDashboard }, baseUrl(), PATH)
    return { status: 200, body, type: HTML, headers: pageHeaders }
  },
})

function sendDownload({ kind, text }: { kind: ProposedKind; text: string }): Sent {
  const headers = {
    ...pageHeaders,
    'content-disposition': `attachment; filename="${kind}"`,
  }
  return { status: 200, body: text, type: 'application/json; charset=utf-8', headers }
}

/** The page on which files are checked before they are served. */
export const workshopPages: readonly Operation[] = [workshop, checkedFile]
