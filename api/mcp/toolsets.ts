import { groups } from '../operation/operation.ts'
import type { RegistryTool } from './tools.ts'

/** Tools that most questions need: a list short enough for a model's context. */
const core: ReadonlySet<string> = new Set([
  'resolve_brand',
  'resolve_brands_bulk',
  'find_brands',
  'resolve_property',
  'resolve_properties_bulk',
  'look_up_property',
  'look_up_publisher',
  'look_up_operator',
  'look_up_agent',
  'look_up_agent_domains',
  'validate_property_authorization',
  'validate_adagents',
  'list_agents',
  'discover_agent',
  'read_feed',
  'search',
])

const toSlug = (group: string) => group.toLowerCase().replace(/[^a-z]+/g, '_')

/** Names of the toolsets: `core`, `write`, one for each group of the API, and `all`. */
export const toolsetNames: readonly string[] = ['core', 'write', ...groups.map(toSlug), 'all']

/** Lists the names that are not toolsets. */
export function listUnknownToolsets(names: readonly string[]): string[] {
  return names.filter(name => !toolsetNames.includes(name))
}

/** Tells whether a tool belongs to one of the sets. */
export function isInToolsets({ name, operation }: RegistryTool, sets: readonly string[]): boolean {
  if (sets.includes('all') || sets.includes(toSlug(operation.group ?? ''))) return true
  if (operation.writes) return sets.includes('write')
  return sets.includes('core') && core.has(name)
}
