import { hasApiAccess, visibilities } from '../../pipeline/core/tiers.ts'
import { agentTypes } from '../../pipeline/model/documents/vocabulary.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { type Child, type Html, h } from '../pages/html/jsx.ts'
import { capitalize } from '../pages/html/text.tsx'
import type { DashboardRequest, OrganizationRequest } from './dashboard-request.ts'
import { type Refusal, renderField } from './field.tsx'
import { API_ACCESS, isMember, MEMBERSHIP } from './membership.tsx'
import { renderToken } from './page.tsx'

export const visibilityTexts = {
  public: 'everyone',
  members_only: 'members on a higher tier',
  private: 'your organization',
} as const

/** Fields of the form that say themselves why it was refused. */
export const AGENT_FIELDS = ['url', 'name'] as const

/**
 * Renders the form that adds an agent of one of `owners`, and is sent to `path`, its own page; `owner` is the part of it
 * that names the organization.
 */
export function renderAgentForm(
  { form, memberships, query, services, token }: DashboardRequest,
  path: string,
  { owner = null, refusal }: { owner?: Child; refusal: Refusal },
  owners: readonly Membership[] = memberships,
): Html {
  const read = (name: string) => form.get(name) ?? (name === 'url' ? String(query.url ?? '') : '')
  return (
    <form method="post" action={path} class="panel">
      <h2>Add an agent</h2>
      <p class="hint">
        Add only agents that you operate. To let an agent sell your ads, name it in your
        adagents.json instead: <a href="/workshop">check a file</a>.
      </p>
      {renderToken(token)}
      {owner}
      {renderField({
        name: 'url',
        label: 'URL',
        refusal,
        type: 'url',
        value: read('url'),
        required: true,
        maxlength: '2000',
        placeholder: 'https://sales.acme.example/mcp',
      })}
      {renderField({
        name: 'name',
        label: 'Name',
        refusal,
        value: read('name'),
        maxlength: '200',
        autocomplete: 'off',
      })}
      <label for="type">Type</label>
      <select id="type" name="type">
        {agentTypes.map(type => (
          <option value={type} selected={type === (read('type') || 'sales')}>
            {capitalize(type)}
          </option>
        ))}
      </select>
      <label for="visibility">Visible to</label>
      {renderVisibilities(owners, {
        id: 'visibility',
        label: 'visibility',
        chosen: read('visibility') || 'private',
      })}
      <p class="hint">
        This applies only to your listing. If a publisher’s file names the agent, the agent and its
        capabilities are public anyway.
      </p>
      {memberships.length > 0 && memberships.every(own => isMember(services, own)) ? null : (
        <p class="hint">
          Adding its first agent makes an organization a member of this registry. {MEMBERSHIP}
        </p>
      )}
      {owners.length > 0 && owners.every(canPublishAgents) ? null : (
        <p class="hint">{API_ACCESS}</p>
      )}
      <button type="submit">Add agent</button>
    </form>
  )
}

function canPublishAgents({ membership_tier }: Membership): boolean {
  return hasApiAccess(membership_tier)
}

/**
 * Returns why the agents of an organization cannot be shown to everybody, where a form asks for that: the operation
 * would show them to members instead, which may be more than see them now.
 */
export function findVisibilityFault({ form, organization }: OrganizationRequest) {
  const isRefused = form.get('visibility') === 'public' && !canPublishAgents(organization)
  return isRefused ? API_ACCESS : undefined
}

/** Renders the choice of who sees an agent of one of these organizations. */
export function renderVisibilities(
  owners: readonly Membership[],
  { id, label, chosen }: { id?: string; label: string; chosen: string },
): Html {
  const canPublish = owners.some(canPublishAgents)
  return (
    <select name="visibility" id={id} aria-label={id === undefined ? label : undefined}>
      {visibilities.map(visibility => {
        const isRefused = visibility === 'public' && !canPublish
        return (
          <option value={visibility} selected={visibility === chosen} disabled={isRefused}>
            {capitalize(visibilityTexts[visibility])}
            {isRefused ? ' (needs a higher tier)' : null}
          </option>
        )
      })}
    </select>
  )
}
