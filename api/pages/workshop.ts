import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { formatJson } from '../../pipeline/core/format-json.ts'
import { type ProposedKind, proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { parseFormDomain, readWorkshopForm, type WorkshopForm } from '../inputs/workshop-form.ts'
import { type Call, defineOperation, type Operation } from '../operation/operation.ts'
import type { Sent } from '../responses/reply.ts'
import { writeErrors } from '../routes/write-errors.ts'
import { createAsk } from './ask.ts'
import { definePage } from './define-page.ts'
import { keepDraft, PUBLISH_PATH } from './draft.ts'
import { HTML, pageHeaders } from './headers.ts'

const PATH = '/workshop'

const workshop = definePage({
  id: 'workshopPage',
  path: PATH,
  summary: 'Show the form that checks a file before it is published',
  query: z.object({
    domain: z.string().trim().max(2_048).default(''),
    kind: z.enum(proposedKinds).default('adagents.json'),
  }),
  load: () => import('./views/workshop.tsx') as never,
})

const checkedFile = defineOperation({
  id: 'workshopCheck',
  method: 'POST',
  path: PATH,
  summary: 'Check the file in the form, or download it',
  access: 'public',
  cache: 'none',
  queriesSnapshot: true,
  isPage: true,
  isExpensive: true,
  raw: true,
  body: z.instanceof(Buffer),
  reply: { 200: { type: [HTML, 'application/json'] }, 303: { type: HTML } },
  errors: [...writeErrors, 'not_found', 'rate_limited'],
  handle: async call => {
    const form = await readWorkshopForm(call.body, String(call.header('content-type') ?? ''))
    if (form.isDownload && form.isUtf8) return sendDownload(form)
    if (form.isPublishing) refuseForeignForm(call)
    const [{ showChecked, findHostingFault }, { renderDocument }] = await Promise.all([
      import('./views/workshop.tsx'),
      import('./parts/document.tsx'),
    ])
    const asking = { ...call, ask: createAsk(call as never) }
    const fault = form.isPublishing ? await findHostingFault(form, asking) : undefined
    if (form.isPublishing && fault === undefined) return continueInDashboard(form, call)
    const view = await showChecked(form, asking, fault)
    const body = renderDocument(view, call.services, PATH)
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

type PublicCall = Call<unknown, unknown, unknown, 'public'>

/** Refuses to host a file that no page of the registry sent: another site must not plant one in a browser. */
function refuseForeignForm({ header, services }: Pick<PublicCall, 'header' | 'services'>): void {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    refuse('forbidden', 'this form was not submitted from a page of this registry')
  }
  if (!services.isAuthorizationServer) refuse('not_found', 'this registry has no sign-in')
}

/** Passes a file on to the dashboard, where a person who is signed in, or signs in now, can publish it. */
async function continueInDashboard(
  { kind, domain, text }: WorkshopForm,
  { caller, services }: Pick<PublicCall, 'caller' | 'services'>,
): Promise<Sent> {
  const cookie = await keepDraft({ kind, domain, text: formatJson(text) }, caller(), services)
  if (cookie === undefined) {
    return refuse('unavailable', 'the file cannot be passed on right now; download it instead', {
      retry_after: 5,
    })
  }
  const headers = { ...pageHeaders, location: toPublishPath(domain), 'set-cookie': cookie }
  return { status: 303, body: '', type: HTML, headers }
}

/** Builds the path of the page that publishes a file; its domain says what a sign-in on the way is for. */
function toPublishPath(domain: string): string {
  const parsed = parseFormDomain(domain)
  return parsed === undefined
    ? PUBLISH_PATH
    : `${PUBLISH_PATH}?${new URLSearchParams({ domain: parsed })}`
}

/** The page on which files are checked before they are served. */
export const workshopPages: readonly Operation[] = [workshop, checkedFile]
