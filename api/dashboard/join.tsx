import {
  findInvitation,
  listAddressInvitations,
} from '../../pipeline/read/lookups/organizations.ts'
import { addArticle } from '../live/invitation-mail.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { clipText, renderName } from '../pages/html/text.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'

const JOIN = '/dashboard/join'
/** Invitations that the first page shows. */
const SHOWN_MAX = 10
const TOKEN = /^[\w-]{43}$/
const CLOSED =
  'This link has been used or revoked, has expired, or was sent to a different address than the one you signed in with.'

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
        <h1>Invitation not found</h1>
        <p class="notice fair">{CLOSED}</p>
        {person.email ? (
          <p>
            You are signed in as <bdi>{clipText(person.email, 120)}</bdi>.
          </p>
        ) : null}
        <p>
          <a href="/dashboard">Your organizations</a>
        </p>
      </>
    )
    return { status: 404, title: 'Invitation not found', body }
  }
  const body = (
    <>
      <h1>Join {renderName(found.org_name)}</h1>
      {renderFault(fault)}
      <p class="lead">
        You are invited as <strong>{addArticle(found.role)}</strong>, with the address{' '}
        <bdi>{clipText(found.email, 120)}</bdi>. Once you accept, the organization is on your
        dashboard.
      </p>
      <form method="post" action={JOIN} class="single">
        {renderToken(formToken)}
        <input type="hidden" name="token" value={token} />
        <button type="submit">Accept invitation</button>
      </form>
      <p>
        <a href="/dashboard">Not now</a>
      </p>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'An invitation', body }
}

/** Renders the invitations that wait for the person who is signed in. */
export function renderOwnInvitations({ person, services, token }: DashboardRequest): Child {
  const { email, email_verified } = person
  const invitations = email && email_verified ? listAddressInvitations(services.reader, email) : []
  return invitations.slice(0, SHOWN_MAX).map(({ invitation_id: id, org_name, role }) => (
    <div class="notice invitation">
      <p>
        <strong>{renderName(org_name)}</strong> invites you to join as {addArticle(role)}.
      </p>
      {renderButton(JOIN, token, 'Accept invitation', { id })}
    </div>
  ))
}

async function acceptInvitation(context: DashboardRequest): Promise<DashboardAnswer> {
  const { callApi, form } = context
  const token = readToken({ token: form.get('token') }) ?? ''
  const id = form.get('id')
  const url = '/api/me/invitations/accept'
  const payload = id === null ? { token } : { id }
  const joined = await callApi<{ org_id: string }>({ method: 'POST', url, payload })
  if (joined.refused !== undefined) return showInvitation(context, token, joined.refused)
  return { next: toSectionPath(joined.body.org_id, 'people'), done: 'joined' }
}

export const joinRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: JOIN, handle: context => showInvitation(context) },
  { method: 'POST', path: JOIN, handle: acceptInvitation },
]
