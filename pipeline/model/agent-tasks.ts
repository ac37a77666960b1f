import type { AsWritten } from './documents/adagents.ts'
import type {
  AgentCapabilities,
  AgentDocument,
  AgentOperations,
  AgentParts,
  AgentTypeOrUnknown,
} from './documents/agent.ts'

/** Tasks that are typical of a type of agent; an agent gets the first type of which it offers any task. */
const typicalTasks = {
  sales: ['get_products', 'create_media_buy', 'list_authorized_properties'],
  creative: [
    'list_creative_formats',
    'build_creative',
    'generate_creative',
    'validate_creative',
    'validate_input',
    'preview_creative',
  ],
  signals: [
    'get_signals',
    'list_signals',
    'match_audience',
    'activate_signal',
    'activate_audience',
  ],
} as const

type Offer = Pick<AgentParts, 'tools'> & { capabilities?: AgentCapabilities }

/**
 * Infers the type of an agent from what it offers. An agent that sells is a seller, also when it makes
 * creatives; buyers and the like have no task of their own and must be declared.
 */
export function inferType({ tools, capabilities }: Offer): AgentTypeOrUnknown {
  const offers = createOfferCheck(tools)
  if (offers(...typicalTasks.sales)) return 'sales'
  if (offers(...typicalTasks.creative)) return 'creative'
  if (offers(...typicalTasks.signals)) return 'signals'
  return capabilities?.measurement === undefined ? 'unknown' : 'measurement'
}

function countOperations(tools: AgentParts['tools']): AgentOperations {
  const offers = createOfferCheck(tools)
  return {
    standard: {
      can_search_inventory: offers('get_products'),
      can_get_availability: offers('get_products', 'get_availability'),
      can_reserve_inventory: offers('create_media_buy', 'reserve_inventory'),
      can_get_pricing: offers('get_products', 'get_pricing'),
      can_create_order: offers('create_media_buy'),
      can_list_properties: offers('list_authorized_properties'),
    },
    creative: {
      can_generate: offers('build_creative', 'generate_creative'),
      can_validate: offers('validate_creative', 'validate_input'),
      can_preview: offers('preview_creative'),
    },
    signals: {
      can_match: offers('match_audience'),
      can_activate: offers('activate_signal', 'activate_audience'),
      can_get_signals: offers('get_signals', 'list_signals'),
    },
  }
}

function createOfferCheck(tools: AgentParts['tools']): (...names: string[]) => boolean {
  const offered = new Set(tools.map(({ name }) => name.toLowerCase()))
  return (...names) => names.some(name => offered.has(name))
}

const FORMAT_KIND = /^[a-z][a-z0-9_]{0,63}$/

/** Lists kinds of formats, which a format states itself, or in the format it refers to. */
function listFormatKinds({ capabilities, formats = [], products }: AgentParts): string[] {
  const kinds = [...(capabilities?.supported_formats ?? []), ...formats].flatMap(
    ({ format_kind, format }) => [
      format_kind,
      (format as AsWritten | null | undefined)?.format_kind,
    ],
  )
  const isKind = (kind: unknown) => typeof kind === 'string' && FORMAT_KIND.test(kind)
  const named = kinds.filter(isKind) as string[]
  return [...new Set([...named, ...(products?.format_kinds ?? [])])].sort()
}

/** Builds the document from the parts of a probe. */
export function buildAgentDocument(parts: AgentParts): AgentDocument {
  const { endpoint, server_name, card, capabilities } = parts
  const name = server_name ?? card?.name
  const description = card?.description ?? capabilities?.description
  const type = inferType(parts as Offer)
  return {
    variant: 'agent',
    ...parts,
    protocols: [...(endpoint ? ['mcp' as const] : []), ...(card ? ['a2a' as const] : [])],
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    type,
    inferred_type: type,
    operations: countOperations(parts.tools),
    format_kinds: listFormatKinds(parts),
  }
}
