import { visibilities } from '../../pipeline/core/tiers.ts'
import { agentTypes } from '../../pipeline/model/documents/vocabulary.ts'
import type { OwnAgent } from '../../pipeline/model/responses/own-organization.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { toAgentPath } from '../pages/parts/paths.ts'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'

const URL = '/api/me/agents'
const visibilityTexts = {
  public: 'everybody',
  members_only: 'members',
  private: 'your organization',
} as const

async function showAgents(context: OrganizationRequest, fault?: string): Promise<DashboardAnswer> {
  const { callApi, org, organization, token } = context
  const listed = await callApi<{ agents: OwnAgent[] }>({ method: 'GET', url: URL, query: org })
  // An organization without a profile has no agent; enrolling one makes the profile.
  const agents = listed.refused === undefined ? listed.body.agents : []
  const sectionPath = toSectionPath(organization.org_id, 'agents')
  const body = (
    <>
      <h1>Agents</h1>
      <p class="lead">Agents that your organization operates, and who can see each.</p>
      {renderFault(fault ?? (listed.status === 404 ? undefined : listed.refused))}
      {renderTable({
        caption: 'Agents',
        columns: ['Agent', 'Type', 'Visible to', 'Change'],
        items: agents,
        limit: 100,
        bytes: 60_000,
        empty: 'No agents yet.',
        render: ({ url, name, type, visibility }) => [
          <>
            <a href={toAgentPath(url)}>{renderName(name ?? url)}</a>
            {name === undefined ? null : <div class="quiet">{renderName(url, 100)}</div>}
          </>,
          type,
          <form method="post" action={`${sectionPath}/visibility`} class="single">
            {renderToken(token)}
            <input type="hidden" name="url" value={url} />
            {renderVisibilities(`visibility of ${url}`, visibility)}
            <button type="submit" class="plain">
              Set
            </button>
          </form>,
          renderButton(`${sectionPath}/remove`, token, 'Remove', { url }, 'plain'),
        ],
      })}
      <form method="post" action={sectionPath} class="panel">
        <h2>Add an agent</h2>
        {renderToken(token)}
        <label for="url">Address</label>
        <input
          id="url"
          name="url"
          type="url"
          required
          maxlength="2000"
          placeholder="https://sales.acme.example/mcp"
        />
        <label for="name">Name</label>
        <input id="name" name="name" maxlength="200" autocomplete="off" />
        <label for="type">Type</label>
        <select id="type" name="type">
          {agentTypes.map(type => (
            <option value={type} selected={type === 'sales'}>
              {type}
            </option>
          ))}
        </select>
        <label for="visibility">Visible to</label>
        {renderVisibilities('visibility', 'private', 'visibility')}
        <button type="submit">Add agent</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Agents', body }
}

function renderVisibilities(label: string, chosen: string, id?: string): Html {
  return (
    <select name="visibility" id={id} aria-label={id === undefined ? label : undefined}>
      {visibilities.map(visibility => (
        <option value={visibility} selected={visibility === chosen}>
          {visibilityTexts[visibility]}
        </option>
      ))}
    </select>
  )
}

async function enrolAgent(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const name = form.get('name')?.trim()
  const payload = {
    url: form.get('url') ?? '',
    type: form.get('type'),
    visibility: form.get('visibility'),
    ...(name && { name }),
  }
  return redirectToAgents(
    context,
    await callApi({ method: 'POST', url: URL, query: org, payload }),
    'enrolled',
  )
}

async function setVisibility(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const url = `${URL}/${encodeURIComponent(form.get('url') ?? '')}`
  const payload = { visibility: form.get('visibility') }
  return redirectToAgents(
    context,
    await callApi({ method: 'PATCH', url, query: org, payload }),
    'changed',
  )
}

async function removeAgent(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const url = `${URL}/${encodeURIComponent(form.get('url') ?? '')}`
  return redirectToAgents(context, await callApi({ method: 'DELETE', url, query: org }), 'removed')
}

interface Saved {
  refused: string | undefined
  body: { warnings?: { message: string }[] }
}

/** Redirects to the list. A warning is shown there like a refusal: something was not done as requested. */
function redirectToAgents(
  context: OrganizationRequest,
  { refused, body }: Saved,
  done: 'enrolled' | 'changed' | 'removed',
) {
  const warning = body.warnings?.[0]?.message
  const fault = refused ?? warning
  if (fault !== undefined) return showAgents(context, fault)
  return { next: toSectionPath(context.organization.org_id, 'agents'), done }
}

export const agentRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/agents', handle: context => showAgents(context) },
  { method: 'POST', path: '/agents', handle: enrolAgent },
  { method: 'POST', path: '/agents/visibility', handle: setVisibility },
  { method: 'POST', path: '/agents/remove', handle: removeAgent },
]
