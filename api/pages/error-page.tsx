import type { PublicError } from '../../pipeline/core/errors.ts'
import type { Sent } from '../responses/reply.ts'
import { describeRefusal, findWrongChoice } from './describe-refusal.ts'
import { HTML, pageHeaders } from './headers.ts'
import { type Html, h } from './html/jsx.ts'
import { renderDocument, type Site } from './parts/document.tsx'
import { renderProblem, renderWayOn } from './parts/problem.tsx'
import type { View } from './view.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  404: 'Page not found',
  413: 'Too large',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
}

/** Refusal of a form whose person is no longer signed in. */
export const SESSION_ENDED = 'your session has ended: sign in again'

/** Request that failed, with what it sent in its path and its query. */
interface Failed {
  method: string
  url: string
  sent: object
}

/** Builds the page of an error: the sentence of the refusal of what was sent, and the way on. */
export function buildErrorPage(error: PublicError | undefined, failed: Failed, site: Site): Sent {
  const status = error?.status ?? 500
  const title = titles[status] ?? (status === 500 ? 'Something went wrong' : 'Request failed')
  const text = error?.message ?? 'The registry couldn’t answer. The error has been logged.'
  const next = renderNextStep(status, text, failed) ?? renderWayOn()
  const body = renderProblem(title, describeRefusal(text, failed.sent), next)
  const view: View = { status: 404, title, description: text, body }
  return { status, body: renderDocument(view, site, undefined), type: HTML, headers: pageHeaders }
}

/** Renders what helps: the page without a wrong filter, the first page of a list, or the same request a little later. */
function renderNextStep(status: number, text: string, { method, url }: Failed): Html | undefined {
  const choice = status === 400 ? findWrongChoice(text) : undefined
  if (choice !== undefined && method === 'GET')
    return (
      <p>
        <a href={removeField(url, choice)}>Clear this filter</a>
      </p>
    )
  if (status === 400 && text.endsWith('from the first page'))
    return (
      <p>
        <a href={removeField(url, 'cursor')}>First page</a>
      </p>
    )
  if (status === 403 && text.toLowerCase().startsWith(SESSION_ENDED))
    return (
      <p>
        <a href="/dashboard">Sign in</a> again. What you entered is one page back: copy it first.
      </p>
    )
  if (status === 413) return <p>Go back and send a smaller file, or only a part of it.</p>
  if (status !== 429 && status !== 503) return undefined
  if (method !== 'GET') return <p>Wait a moment, then go back and submit the form again.</p>
  return (
    <p>
      Wait a moment, then <a href={url}>load the page again</a>.
    </p>
  )
}

function removeField(url: string, field: string): string {
  const [path = '', query] = url.split('?')
  const params = new URLSearchParams(query)
  params.delete(field)
  return params.size > 0 ? `${path}?${params}` : path
}
