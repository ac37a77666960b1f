import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { AGENT_FIELDS, renderAgentForm } from './agent-form.tsx'
import type { DashboardRequest, PersonRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal } from './field.tsx'
import { chooseOrganization, NEW_NAME, renderOrganizationField } from './own-organization.tsx'
import { type DashboardAnswer, renderFault } from './page.tsx'
import { saveAgent } from './save-agent.tsx'
import { showViewed } from './viewing.tsx'

/** Page on which a person adds an agent, whether they have an organization yet or not. */
const ADD_AGENT_PATH = '/dashboard/agents'

function showForm(context: DashboardRequest, refusal: Refusal = {}, proof?: Html): DashboardAnswer {
  const viewed = showViewed(context, 'Add an agent')
  if (viewed) return viewed
  const body = (
    <>
      <p class="lead">An agent belongs to the organization that operates it.</p>
      {renderFault(findFormFault(refusal, [...AGENT_FIELDS, NEW_NAME]), proof)}
      {renderAgentForm(context, ADD_AGENT_PATH, {
        owner: renderOrganizationField(context, refusal),
        refusal,
      })}
    </>
  )
  return {
    status: refusal.refused === undefined ? 200 : 400,
    title: 'Add an agent',
    heading: 'Agents',
    body,
  }
}

async function addAgent(context: DashboardRequest): Promise<DashboardAnswer> {
  const chosen = await chooseOrganization(context)
  if ('refusal' in chosen) return showForm(context, chosen.refusal)
  return saveAgent(chosen, ADD_AGENT_PATH, (refusal, proof) => showForm(chosen, refusal, proof))
}

export const addAgentRoutes: readonly PersonRoute[] = [
  { method: 'GET', path: ADD_AGENT_PATH, handle: context => showForm(context) },
  { method: 'POST', path: ADD_AGENT_PATH, handle: addAgent },
]
