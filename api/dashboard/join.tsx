import type { z } from 'zod'
import type { StoredInvitation } from '../../pipeline/model/accounts/invitation.ts'
import type { InvitationAccepted } from '../../pipeline/model/responses/organization.ts'
import {
  findInvitation,
  listAddressInvitations,
} from '../../pipeline/read/lookups/organizations.ts'
import { clipAddress } from '../identity/invited-address.ts'
import { BACK } from '../identity/way-back.ts'
import { addArticle } from '../live/invitation-mail.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { clipText, renderName } from '../pages/html/text.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  SIGN_OUT_PATH,
  toSectionPath,
} from './page.tsx'

const JOIN = '/dashboard/join'
/** Invitations that the first page shows. */
const SHOWN_MAX = 10
const TOKEN = /^[\w-]{43}$/
const CLOSED =
  'This link has been used or revoked, or has expired. Ask the person who sent it for a new one.'

function readToken(query: unknown): string | undefined {
  const { token } = query as { token?: unknown }
  return typeof token === 'string' && TOKEN.test(token) ? token : undefined
}

/** Shows an invitation to the person whose verified address it names, and to others whom it is for. */
function showInvitation(
  context: DashboardRequest,
  given?: string,
  fault?: string,
): DashboardAnswer {
  const { person, services, token: formToken } = context
  const token = given ?? readToken(context.query)
  const found = token === undefined ? undefined : findInvitation(services.reader, token)
  if (token === undefined || found === undefined) return showClosed()
  if (!person.email_verified || found.email !== person.email)
    return showOtherAccount(context, token, found)
  const body = (
    <>
      <h1>Join {renderName(found.org_name)}</h1>
      {renderFault(fault)}
      <p class="lead">
        You’re invited as <strong>{addArticle(found.role)}</strong>, with the address{' '}
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

function showClosed(): DashboardAnswer {
  const body = (
    <>
      <h1>Invitation not found</h1>
      <p class="notice fair">{CLOSED}</p>
      <p>
        <a href="/dashboard">Your organizations</a>
      </p>
    </>
  )
  return { status: 404, title: 'Invitation not found', body }
}

/** Offers to switch accounts. A link may be passed on, so it tells others neither who invites nor the whole address. */
function showOtherAccount(
  { person, token: formToken }: DashboardRequest,
  token: string,
  { email }: StoredInvitation,
): DashboardAnswer {
  const who = person.email ?? person.name ?? person.user_id
  const body = (
    <>
      <h1>An invitation for another account</h1>
      <p class="notice fair">
        This invitation is for <bdi>{clipText(clipAddress(email), 120)}</bdi>. You’re signed in as{' '}
        <bdi>{clipText(who, 120)}</bdi>
        {person.email === email ? ', but that address isn’t verified' : null}.
      </p>
      <div class="actions">
        {renderButton(SIGN_OUT_PATH, formToken, 'Switch account', {
          [BACK]: `${JOIN}?${new URLSearchParams({ token })}`,
        })}
        <a href="/dashboard">Your organizations</a>
      </div>
    </>
  )
  return { status: 403, title: 'An invitation', body }
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
  const joined = await callApi<z.infer<typeof InvitationAccepted>>({ method: 'POST', url, payload })
  if (joined.refused !== undefined) return showInvitation(context, token, joined.refused)
  const { org_id, role } = joined.body
  return { next: toSectionPath(org_id, 'people'), done: `joined_${role}` }
}

export const joinRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: JOIN, handle: context => showInvitation(context) },
  { method: 'POST', path: JOIN, handle: acceptInvitation },
]
