import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderAgentForm } from './agent-form.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { chooseOrganization, renderOrganizationField } from './own-organization.tsx'
import { type DashboardAnswer, renderFault } from './page.tsx'
import { saveAgent } from './save-agent.tsx'

/** Page on which a person adds an agent, whether they have an organization yet or not. */
const ADD_AGENT_PATH = '/dashboard/agents'

function showForm(context: DashboardRequest, fault?: string, proof?: Html): DashboardAnswer {
  const body = (
    <>
      <h1>Agents</h1>
      <p class="lead">An agent belongs to the organization that operates it.</p>
      {renderFault(fault)}
      {proof ?? null}
      {renderAgentForm(context, ADD_AGENT_PATH, renderOrganizationField(context))}
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Add an agent', body }
}

async function addAgent(context: DashboardRequest): Promise<DashboardAnswer> {
  const chosen = await chooseOrganization(context)
  if ('fault' in chosen) return showForm(context, chosen.fault)
  return saveAgent(chosen, ADD_AGENT_PATH, (fault, proof) => showForm(chosen, fault, proof))
}

export const addAgentRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: ADD_AGENT_PATH, handle: context => showForm(context) },
  { method: 'POST', path: ADD_AGENT_PATH, handle: addAgent },
]
