import type { Visibility } from '../../pipeline/core/tiers.ts'
import type { OwnAgent } from '../../pipeline/model/responses/own-organization.ts'
import { findAgent } from '../../pipeline/read/lookups/agents.ts'
import { isPublicAgent } from '../../pipeline/read/lookups/public-agents.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, renderName } from '../pages/html/text.tsx'
import { renderTable } from '../pages/parts/blocks.tsx'
import { toAgentPath } from '../pages/parts/paths.ts'
import {
  AGENT_FIELDS,
  findVisibilityFault,
  renderAgentForm,
  renderVisibilities,
  visibilityTexts,
} from './agent-form.tsx'
import { toTestsPath } from './agent-tests.tsx'
import type { ApiAnswer } from './call-api.ts'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal } from './field.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'
import { AGENTS_URL, type SavedAgent, saveAgent } from './save-agent.tsx'

async function showAgents(
  context: OrganizationRequest,
  refusal: Refusal = {},
  proof?: Html,
): Promise<DashboardAnswer> {
  const { callApi, org, organization, token, services } = context
  const { reader } = services
  const listed = await callApi<{ agents: OwnAgent[] }>({
    method: 'GET',
    url: AGENTS_URL,
    query: org,
  })
  // An organization without a profile has no agent; enrolling one makes the profile.
  const agents = listed.refused === undefined ? listed.body.agents : []
  const sectionPath = toSectionPath(organization.org_id, 'agents')
  const body = (
    <>
      <p class="lead">The agents of your organization, and who can see them.</p>
      {renderFault(
        findFormFault(refusal, AGENT_FIELDS) ??
          (listed.status === 404 ? undefined : listed.refused),
        proof,
      )}
      {renderTable({
        caption: 'Agents',
        columns: ['Agent', 'Type', 'Visible to', 'Tests', 'Action'],
        items: agents,
        limit: 100,
        bytes: 60_000,
        empty: 'No agents yet.',
        render: ({ url, name, type, visibility }) => [
          <>
            {isPublicAgent(reader, url) ? (
              <a href={toAgentPath(url)}>{renderName(name ?? url)}</a>
            ) : (
              renderName(name ?? url)
            )}
            {name === undefined ? null : <div class="quiet">{renderName(url, 100)}</div>}
            {findAgent(reader, url).publisher_count > 0 ? null : (
              <div class="quiet">Not listed by any publisher yet</div>
            )}
          </>,
          capitalize(type),
          renderVisibility(context, url, visibility),
          <a href={toTestsPath(organization.org_id, url)}>Results</a>,
          canEdit(organization) &&
            renderButton(
              `${sectionPath}/remove`,
              token,
              'Remove',
              { url, [SUBJECT]: url },
              'plain',
            ),
        ],
      })}
      {canEdit(organization)
        ? renderAgentForm(context, sectionPath, { refusal }, [organization])
        : null}
    </>
  )
  return {
    status: refusal.refused === undefined ? 200 : 400,
    title: 'Agents',
    heading: 'Agents',
    body,
  }
}

/** Renders who sees an agent, as a form if the reader may change it. */
function renderVisibility(
  { organization, token }: OrganizationRequest,
  url: string,
  chosen: Visibility,
): Child {
  if (!canEdit(organization)) return capitalize(visibilityTexts[chosen])
  return (
    <form
      method="post"
      action={`${toSectionPath(organization.org_id, 'agents')}/visibility`}
      class="single"
    >
      {renderToken(token)}
      <input type="hidden" name="url" value={url} />
      {renderVisibilities([organization], { label: `visibility of ${url}`, chosen })}
      <button type="submit" class="plain">
        Save
      </button>
    </form>
  )
}

async function setVisibility(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const fault = findVisibilityFault(context)
  if (fault !== undefined) return showAgents(context, { refused: fault })
  const url = `${AGENTS_URL}/${encodeURIComponent(form.get('url') ?? '')}`
  const payload = { visibility: form.get('visibility') }
  return redirectToAgents(
    context,
    await callApi<SavedAgent>({ method: 'PATCH', url, query: org, payload }),
    'changed',
  )
}

function addAgent(context: OrganizationRequest): Promise<DashboardAnswer> {
  const path = toSectionPath(context.organization.org_id, 'agents')
  return saveAgent(context, path, (refusal, proof) => showAgents(context, refusal, proof))
}

const askAboutAgent = () => ({
  label: 'Remove',
  effect:
    'Your organization will no longer list or test this agent, and its credential will be deleted.',
})

async function removeAgent(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const url = `${AGENTS_URL}/${encodeURIComponent(form.get('url') ?? '')}`
  return redirectToAgents(
    context,
    await callApi<SavedAgent>({ method: 'DELETE', url, query: org }),
    'removed',
  )
}

/** Redirects to the list, which says what was done. */
function redirectToAgents(
  context: OrganizationRequest,
  { refused }: Pick<ApiAnswer<SavedAgent>, 'refused'>,
  done: 'changed' | 'removed',
): DashboardAnswer | Promise<DashboardAnswer> {
  if (refused !== undefined) return showAgents(context, { refused })
  return { next: toSectionPath(context.organization.org_id, 'agents'), done }
}

export const agentRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/agents', handle: context => showAgents(context) },
  { method: 'POST', path: '/agents', handle: addAgent },
  { method: 'POST', path: '/agents/visibility', handle: setVisibility },
  { method: 'POST', path: '/agents/remove', handle: confirmFirst(askAboutAgent, removeAgent) },
]
