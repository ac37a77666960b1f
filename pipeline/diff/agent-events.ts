import type { EventDraft, InventoryProfile } from '../model/event.ts'
import type { AgentProfileRow, AgentRow } from '../model/rows.ts'
import type { Change } from './diff.ts'

export const agentFacts = [
  'publisher_count',
  'property_count',
  'property_types',
  'channels',
  'tags',
  'markets',
] as const satisfies (keyof AgentRow)[]

/** An agent as readers of the feed see it: what it reaches, and what it says of itself. */
export interface AgentView extends AgentRow, Pick<AgentProfileRow, 'name' | 'type' | 'has_tmp'> {}

export const agentViewFacts = [
  ...agentFacts,
  'name',
  'type',
  'has_tmp',
] as const satisfies (keyof AgentView)[]

/** Where no publisher's file says channels or countries, the agent's own word is shown. */
export function agentViewOf(row: AgentRow, profile: AgentProfileRow | undefined): AgentView {
  const { channels = [], markets = [], name = null, type = 'unknown' } = profile ?? {}
  return {
    ...row,
    channels: row.channels.length > 0 ? row.channels : channels,
    markets: row.markets.length > 0 ? row.markets : markets,
    ...{ name, type, has_tmp: profile?.has_tmp ?? false },
  }
}

export function agentEvents(change: Change<AgentView>): EventDraft[] {
  switch (change.kind) {
    case 'added':
      return [agentEvent('agent.discovered', change.row)]
    case 'changed':
      return [agentEvent('agent.profile_updated', change.row, { changed_fields: change.fields })]
    case 'removed': {
      const { agent_url } = change.old
      return [{ event_type: 'agent.removed', entity_id: agent_url, payload: { agent_url } }]
    }
  }
}

function agentEvent(event_type: EventDraft['event_type'], row: AgentView, more = {}): EventDraft {
  const profile = profileOf(row)
  return {
    event_type,
    entity_id: row.agent_url,
    payload: {
      agent_url: row.agent_url,
      name: row.name ?? row.agent_url,
      type: row.type,
      ...profile,
      inventory_profile: profile,
      ...more,
    },
  }
}

export function profileOf(row: AgentView): InventoryProfile {
  return {
    channels: row.channels,
    property_types: row.property_types,
    markets: row.markets,
    categories: [],
    tags: row.tags,
    delivery_types: [],
    property_count: row.property_count,
    publisher_count: row.publisher_count,
    has_tmp: row.has_tmp,
    category_taxonomy: null,
  }
}
