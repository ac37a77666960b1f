import { findInvitation } from '../../pipeline/read/lookups/organizations.ts'
import { Fragment, h } from '../pages/html/jsx.ts'
import { clipText, renderName } from '../pages/html/text.tsx'
import { PUBLISH_PATH } from './draft.ts'
import { type DashboardAnswer, renderFault, renderToken, toSectionPath } from './page.tsx'
import type { PersonPlace, Step } from './step.ts'

const JOIN = '/dashboard/join'
/** Value of `to` and of the state that lead back to the file of the workshop. */
export const PUBLISH_STATE = 'publish'
const TOKEN = /^[\w-]{43}$/
const STATE = /^join\.([\w-]{43})$/
const CLOSED =
  'This link was used, revoked or is too old, or it was sent to another address than the one you have signed in with.'

/** Builds an address that keeps the invitation of a query, if there is one. */
export function buildJoinPath(path: string, query: unknown): string {
  const token = readToken(query)
  return token === undefined ? path : `${path}?token=${token}`
}

/** Converts what a person came with, an invitation or a file, to the state that a sign-in carries on. */
export function toJoinState(query: unknown): string | undefined {
  if ((query as { to?: unknown }).to === PUBLISH_STATE) return PUBLISH_STATE
  const token = readToken(query)
  return token === undefined ? undefined : `join.${token}`
}

/** Reads where the state of a sign-in leads: to its invitation or to the file that waits, and nowhere else. */
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

/** Shows an invitation to the person of its address, and to nobody else. */
function showInvitation(step: Step, given?: string, fault?: string): DashboardAnswer {
  const { person, services, token: formToken } = step
  const token = given ?? readToken(step.query)
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

async function acceptInvitation(step: Step): Promise<DashboardAnswer> {
  const { ask, form } = step
  const token = readToken({ token: form.get('token') }) ?? ''
  const url = '/api/me/invitations/accept'
  const joined = await ask<{ org_id: string }>({ method: 'POST', url, payload: { token } })
  if (joined.refused !== undefined) return showInvitation(step, token, joined.refused)
  return { next: toSectionPath(joined.body.org_id, 'people'), done: 'joined' }
}

export const joinPlaces: readonly PersonPlace[] = [
  { method: 'GET', path: JOIN, take: step => showInvitation(step) },
  { method: 'POST', path: JOIN, take: acceptInvitation },
]
