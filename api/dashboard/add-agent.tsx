import { type Domain, getRegistrableDomain } from '../../pipeline/core/domain.ts'
import { BACK } from '../identity/way-back.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { ADD_AGENT_PATH, findVisibilityFault, renderAgentForm } from './agent-form.tsx'
import { AGENTS_URL, redirectToAgents, type SavedAgent } from './agents.tsx'
import type { ApiAnswer } from './call-api.ts'
import type { DashboardRequest, OrganizationRequest, PersonRoute } from './dashboard-request.ts'
import { chooseOrganization, renderOrganizationField } from './own-organization.tsx'
import { type DashboardAnswer, renderButton, renderFault } from './page.tsx'
import { VERIFY_PATH } from './proof.tsx'

function showForm(context: DashboardRequest, fault?: string, proof?: Html): DashboardAnswer {
  const body = (
    <>
      <h1>Agents</h1>
      <p class="lead">An agent belongs to the organization that operates it.</p>
      {renderFault(fault)}
      {proof ?? null}
      {renderAgentForm(context, renderOrganizationField(context))}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Add an agent', body }
}

async function addAgent(context: DashboardRequest): Promise<DashboardAnswer> {
  const { form } = context
  const chosen = await chooseOrganization(context)
  if ('fault' in chosen) return showForm(context, chosen.fault)
  const fault = findVisibilityFault(chosen)
  if (fault !== undefined) return showForm(chosen, fault)
  const name = form.get('name')?.trim()
  const payload = {
    url: form.get('url') ?? '',
    type: form.get('type'),
    visibility: form.get('visibility'),
    ...(name && { name }),
  }
  const { callApi, org } = chosen
  const saved = await callApi<SavedAgent>({ method: 'POST', url: AGENTS_URL, query: org, payload })
  return saved.refused === undefined
    ? redirectToAgents(chosen, saved, /^http:/i.test(payload.url) ? 'enrolled_http' : 'enrolled')
    : showForm(chosen, saved.refused, renderMissingProof(chosen, saved))
}

/** Renders the button that verifies the domain of an agent, if that is what an agent was refused for. */
function renderMissingProof(
  { form, org, token }: OrganizationRequest,
  { body }: ApiAnswer<SavedAgent>,
): Html | undefined {
  const { agent_hostname: host } = body
  if (host === undefined) return undefined
  const domain = getRegistrableDomain(host as Domain) ?? host
  const back = `${ADD_AGENT_PATH}?${new URLSearchParams({ url: form.get('url') ?? '' })}`
  return renderButton(VERIFY_PATH, token, `Verify ${domain}`, { ...org, domain, [BACK]: back })
}

export const addAgentRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: ADD_AGENT_PATH, handle: context => showForm(context) },
  { method: 'POST', path: ADD_AGENT_PATH, handle: addAgent },
]
