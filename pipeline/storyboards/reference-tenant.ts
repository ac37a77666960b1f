import {
  type Bundle,
  type ReferenceTenant,
  referenceTenants,
} from '../model/storyboards/storyboard.ts'
import type { StoryboardSummary } from './bundle-text.ts'

/** Tenants of the reference agent by the protocols that they speak. */
const byProtocol: Readonly<Record<string, ReferenceTenant>> = {
  media_buy: 'sales',
  signals: 'signals',
  creative: 'creative',
  governance: 'governance',
  brand: 'brand',
}

/** Tenants by specialism, where the protocol has several. */
const bySpecialism: Readonly<Record<string, ReferenceTenant>> = {
  'creative-template': 'creative-builder',
  'creative-generative': 'creative-builder',
}

/** Tenants by the first task that a storyboard for every agent needs. */
const byTask: Readonly<Record<string, ReferenceTenant>> = {
  get_signals: 'signals',
  list_collection_lists: 'governance',
  list_content_standards: 'governance',
  list_property_lists: 'governance',
}

/** Chooses the tenant of the reference agent with which others are compared by a storyboard. */
export function chooseTenant(
  { default_agent, required_tools }: Pick<StoryboardSummary, 'default_agent' | 'required_tools'>,
  { id }: Bundle,
  protocol: string | undefined,
): ReferenceTenant {
  const named = referenceTenants.find(tenant => tenant === default_agent)
  if (named !== undefined) return named
  if (protocol === undefined) return byTask[required_tools[0] ?? ''] ?? 'sales'
  if (required_tools.includes('create_media_buy')) return 'sales'
  return bySpecialism[id] ?? byProtocol[protocol] ?? 'sales'
}
