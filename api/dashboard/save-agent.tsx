import { type Domain, getRegistrableDomain } from '../../pipeline/core/domain.ts'
import { BACK } from '../identity/way-back.ts'
import { type Html, h } from '../pages/html/jsx.ts'
import { findVisibilityFault } from './agent-form.tsx'
import type { ApiAnswer } from './call-api.ts'
import type { OrganizationRequest } from './dashboard-request.ts'
import type { Refusal } from './field.tsx'
import { type DashboardAnswer, renderButton, toSectionPath } from './page.tsx'
import { VERIFY_PATH } from './proof.tsx'

export const AGENTS_URL = '/api/me/agents'

/** Body of the answer to a change of an agent. */
export interface SavedAgent {
  /** Host of the agent, if it was refused because the organization has not verified its domain. */
  agent_hostname?: string
}

/** Shows the page of a form again: why it was refused, and the button that does first what is missing. */
type ShowRefused = (refusal: Refusal, proof?: Html) => DashboardAnswer | Promise<DashboardAnswer>

/** Adds the agent of a form; `path` is the page of the form, to which a proof of its domain leads back. */
export async function saveAgent(
  context: OrganizationRequest,
  path: string,
  showRefused: ShowRefused,
): Promise<DashboardAnswer> {
  const { callApi, form, org, organization } = context
  const fault = findVisibilityFault(context)
  if (fault !== undefined) return showRefused({ refused: fault })
  const name = form.get('name')?.trim()
  const payload = {
    url: form.get('url') ?? '',
    type: form.get('type'),
    visibility: form.get('visibility'),
    ...(name && { name }),
  }
  const saved = await callApi<SavedAgent>({ method: 'POST', url: AGENTS_URL, query: org, payload })
  if (saved.refused !== undefined)
    return showRefused(saved, renderMissingProof(context, path, saved))
  const done = /^http:/i.test(payload.url) ? 'enrolled_http' : 'enrolled'
  return { next: toSectionPath(organization.org_id, 'agents'), done }
}

/** Renders the button that verifies the domain of an agent, if that is what an agent was refused for. */
function renderMissingProof(
  { form, org, token }: OrganizationRequest,
  path: string,
  { body }: ApiAnswer<SavedAgent>,
): Html | undefined {
  const { agent_hostname: host } = body
  if (host === undefined) return undefined
  const domain = getRegistrableDomain(host as Domain) ?? host
  const back = `${path}?${new URLSearchParams({ url: form.get('url') ?? '' })}`
  return renderButton(VERIFY_PATH, token, `Verify ${domain}`, { ...org, domain, [BACK]: back })
}
