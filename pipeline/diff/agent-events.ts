import type { EventDraft, InventoryProfile } from '../model/event.ts'
import type { AgentProfileRow, AgentRow } from '../model/rows.ts'
import type { Change } from './diff.ts'
import { truncateLists } from './truncate-lists.ts'

export const agentFacts = [
  'publisher_count',
  'property_count',
  'property_types',
  'channels',
  'tags',
  'markets',
  'declared_channels',
  'implied_channels',
  'categories',
  'category_taxonomy',
] as const satisfies (keyof AgentRow)[]

/** An agent in the form of the feed: what it reaches, and what it says about itself. */
export interface AgentView
  extends Omit<AgentRow, 'declared_channels' | 'implied_channels'>,
    Pick<AgentProfileRow, 'name' | 'type' | 'has_tmp'> {
  categories: string[]
  delivery_types: string[]
  format_kinds: string[]
}

export const agentViewFacts = [
  'publisher_count',
  'property_count',
  'property_types',
  'channels',
  'tags',
  'markets',
  'categories',
  'category_taxonomy',
  'name',
  'type',
  'has_tmp',
  'delivery_types',
  'format_kinds',
] as const satisfies (keyof AgentView)[]

/** Builds the view of an agent. Its own markets are shown if no publisher's file names countries. */
export function toAgentView(row: AgentRow, profile: AgentProfileRow | undefined): AgentView {
  const { channels = [], markets = [], name = null, type = 'unknown' } = profile ?? {}
  const { declared_channels: _, implied_channels: __, ...reached } = row
  return {
    ...reached,
    channels: listChannels(row, channels),
    categories: row.categories ?? [],
    markets: row.markets.length > 0 ? row.markets : markets,
    name,
    type,
    has_tmp: profile?.has_tmp ?? false,
    delivery_types: profile?.delivery_types ?? [],
    format_kinds: profile?.format_kinds ?? [],
  }
}

/**
 * Lists the channels that publishers name; if there are none, those that the agent names itself; else those
 * implied by types of properties.
 */
function listChannels(
  { channels, declared_channels, implied_channels }: AgentRow,
  declared: readonly string[],
): string[] {
  const isNamed = channels.length > 0 && (implied_channels ?? []).length === 0
  if (declared.length === 0 || isNamed) return channels
  return [...new Set([...(declared_channels ?? []), ...declared])].sort()
}

/** Creates the events of a changed agent; `left` are the publishers that no longer name it. */
export function diffAgent(change: Change<AgentView>, left: readonly string[] = []): EventDraft[] {
  switch (change.kind) {
    case 'added':
      return [draftAgentEvent('agent.discovered', change.row)]
    case 'changed':
      return [
        draftAgentEvent('agent.profile_updated', change.row, { changed_fields: change.fields }),
      ]
    case 'removed': {
      const { agent_url } = change.old
      const payload = { agent_url, ...truncateLists({ removed_from_publishers: left }) }
      return [{ event_type: 'agent.removed', entity_id: agent_url, payload }]
    }
  }
}

function draftAgentEvent(
  event_type: EventDraft['event_type'],
  row: AgentView,
  more = {},
): EventDraft {
  const profile = toInventoryProfile(row)
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

export function toInventoryProfile(row: AgentView): InventoryProfile {
  return {
    channels: row.channels,
    property_types: row.property_types,
    markets: row.markets,
    categories: row.categories,
    tags: row.tags,
    delivery_types: row.delivery_types,
    format_kinds: row.format_kinds,
    property_count: row.property_count,
    publisher_count: row.publisher_count,
    has_tmp: row.has_tmp,
    category_taxonomy: row.category_taxonomy,
  }
}
