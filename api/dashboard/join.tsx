import { findInvitation } from '../../pipeline/read/lookups/organizations.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { clipText, renderName } from '../pages/html/text.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { PUBLISH_PATH } from './draft.ts'
import { type DashboardAnswer, renderFault, renderToken, toSectionPath } from './page.tsx'

const JOIN = '/dashboard/join'
/** Value of `to` and of `state` that leads back to the file from the workshop. */
export const PUBLISH_STATE = 'publish'
const TOKEN = /^[\w-]{43}$/
const STATE = /^join\.([\w-]{43})$/
const CLOSED =
  'This link has been used, revoked or has expired, or it was sent to an address other than the one you signed in with.'

/** Adds the invitation token of a query to a path, if there is one. */
export function buildJoinPath(path: string, query: unknown): string {
  const token = readToken(query)
  return token === undefined ? path : `${path}?token=${token}`
}

/** Converts what a visitor came for, an invitation or a file, to the `state` of their sign-in. */
export function toJoinState(query: unknown): string | undefined {
  if ((query as { to?: unknown }).to === PUBLISH_STATE) return PUBLISH_STATE
  const token = readToken(query)
  return token === undefined ? undefined : `join.${token}`
}

/**
 * Converts the `state` of a sign-in to a path: that of its invitation or of the waiting file, and no other.
 */
export function readJoinState(query: unknown): string | undefined {
  const { state } = query as { state?: unknown }
  if (state === PUBLISH_STATE) return PUBLISH_PATH
  const [, token] = (typeof state === 'string' && STATE.exec(state)) || []
  return token === undefined ? undefined : buildJoinPath(JOIN, { token })
}

function readToken(query: unknown): string | undefined {
  const { token } = query as { token?: unknown }
  return typeof token === 'string' && TOKEN.test(token) ? token : undefined
}

/** Shows an invitation only to the person whose verified address it names. */
function showInvitation(
  context: DashboardRequest,
  given?: string,
  fault?: string,
): DashboardAnswer {
  const { person, services, token: formToken } = context
  const token = given ?? readToken(context.query)
  const found = token === undefined ? undefined : findInvitation(services.reader, token)
  const isTheirs = found !== undefined && person.email_verified && found.email === person.email
  if (!isTheirs) {
    const body = (
      <>
        <h1>No invitation here</h1>
        <p class="notice fair">{CLOSED}</p>
        <p>
          <a href="/dashboard">Your organizations</a>
        </p>
      </>
    )
    return { status: 404, title: 'No invitation here', body }
  }
  const body = (
    <>
      <h1>Join {renderName(found.org_name)}</h1>
      {renderFault(fault)}
      <p class="lead">
        You are invited as <strong>{found.role}</strong>, with the address{' '}
        <bdi>{clipText(found.email, 120)}</bdi>.
      </p>
      <form method="post" action={JOIN} class="single">
        {renderToken(formToken)}
        <input type="hidden" name="token" value={token} />
        <button type="submit">Accept the invitation</button>
      </form>
      <p>
        <a href="/dashboard">Not now</a>
      </p>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'An invitation', body }
}

async function acceptInvitation(context: DashboardRequest): Promise<DashboardAnswer> {
  const { callApi, form } = context
  const token = readToken({ token: form.get('token') }) ?? ''
  const url = '/api/me/invitations/accept'
  const joined = await callApi<{ org_id: string }>({ method: 'POST', url, payload: { token } })
  if (joined.refused !== undefined) return showInvitation(context, token, joined.refused)
  return { next: toSectionPath(joined.body.org_id, 'people'), done: 'joined' }
}

export const joinRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: JOIN, handle: context => showInvitation(context) },
  { method: 'POST', path: JOIN, handle: acceptInvitation },
]
