import { createHash } from 'node:crypto'
import { buildAgentDocument } from '../../pipeline/model/agent-tasks.ts'
import type { AgentProducts } from '../../pipeline/model/documents/index.ts'
import type { ObservationDraft } from './app.ts'

interface Says {
  tools?: string[]
  name?: string
  markets?: string[]
  channels?: string[]
  has_tmp?: boolean
  formats?: Record<string, unknown>[]
  products?: Partial<AgentProducts>
}

/** Builds the observation of a live agent with these answers. */
export function observeProbedAgent(url: string, says: Says): ObservationDraft {
  const { tools = [], name, markets = [], channels = [], has_tmp = false, formats } = says
  const nothing = { delivery_types: [], channels: [], markets: [], format_kinds: [] }
  const document = buildAgentDocument({
    endpoint: url,
    ...(name !== undefined && { server_name: name }),
    tools: tools.map(tool => ({ name: tool })),
    capabilities: { supported_protocols: [], supported_channels: channels, markets, has_tmp },
    ...(formats && { formats }),
    ...(says.products && { products: { ...nothing, ...says.products } }),
    needs_auth: false,
    unread: [],
  })
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  return { kind: 'agent', location: url, document, hash, status: 200, took_ms: 1 }
}
