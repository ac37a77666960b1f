import { hasApiAccess, visibilities } from '../../pipeline/core/tiers.ts'
import { agentTypes } from '../../pipeline/model/documents/vocabulary.ts'
import { type Child, type Html, h } from '../pages/html/jsx.ts'
import type { DashboardRequest } from './dashboard-request.ts'
import { API_ACCESS, isMember, MEMBERSHIP } from './membership.tsx'
import { renderToken } from './page.tsx'

export const visibilityTexts = {
  public: 'everybody',
  members_only: 'members with API access',
  private: 'your organization',
} as const

/** Page on which a person adds an agent, whether they have an organization yet or not. */
export const ADD_AGENT_PATH = '/dashboard/agents'

/** Renders the form that adds an agent; `owner` is the part of it that names the organization. */
export function renderAgentForm(
  { form, memberships, query, services, token }: DashboardRequest,
  owner: Child,
): Html {
  const read = (name: string) => form.get(name) ?? (name === 'url' ? String(query.url ?? '') : '')
  return (
    <form method="post" action={ADD_AGENT_PATH} class="panel">
      <h2>Add an agent</h2>
      {renderToken(token)}
      {owner}
      <label for="url">Address</label>
      <input
        id="url"
        name="url"
        type="url"
        value={read('url')}
        required
        maxlength="2000"
        placeholder="https://sales.acme.example/mcp"
      />
      <label for="name">Name</label>
      <input id="name" name="name" value={read('name')} maxlength="200" autocomplete="off" />
      <label for="type">Type</label>
      <select id="type" name="type">
        {agentTypes.map(type => (
          <option value={type} selected={type === (read('type') || 'sales')}>
            {type}
          </option>
        ))}
      </select>
      <label for="visibility">Visible to</label>
      {renderVisibilities('visibility', read('visibility') || 'private', 'visibility')}
      {memberships.length > 0 && memberships.every(own => isMember(services, own)) ? null : (
        <p class="hint">Adding its first agent makes an organization a member. {MEMBERSHIP}</p>
      )}
      {memberships.length > 0 &&
      memberships.every(({ membership_tier: tier }) => hasApiAccess(tier)) ? null : (
        <p class="hint">{API_ACCESS}</p>
      )}
      <button type="submit">Add agent</button>
    </form>
  )
}

/** Renders the choice of who sees an agent. */
export function renderVisibilities(label: string, chosen: string, id?: string): Html {
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
