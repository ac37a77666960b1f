import type { PublicError } from '../../pipeline/core/errors.ts'
import type { Sent } from '../responses/reply.ts'
import { describeRefusal } from './describe-refusal.ts'
import { HTML, pageHeaders } from './headers.ts'
import { renderDocument } from './parts/document.tsx'
import { renderProblem, renderWayOn } from './parts/problem.tsx'
import type { View } from './view.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  404: 'Page not found',
  429: 'Too many requests',
  503: 'Not ready yet',
}

/** Builds the page of an error: the sentence of the refusal of what was sent, and the way on. */
export function buildErrorPage(
  error: PublicError | undefined,
  sent: object,
  hasDashboard: boolean,
): Sent {
  const status = error?.status ?? 500
  const title = titles[status] ?? (status === 500 ? 'Something went wrong' : 'Request failed')
  const text = error?.message ?? 'The registry could not answer. The error has been logged.'
  const body = renderProblem(title, describeRefusal(text, sent), renderWayOn())
  const view: View = { status: 404, title, description: text, body, hasDashboard }
  return { status, body: renderDocument(view, '', undefined), type: HTML, headers: pageHeaders }
}
