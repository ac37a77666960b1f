import { createHash } from 'node:crypto'
import { agentDocumentOf } from '../../pipeline/model/agent-tasks.ts'
import type { Seen } from './app.ts'

interface Says {
  tools?: string[]
  name?: string
  markets?: string[]
  channels?: string[]
  has_tmp?: boolean
  formats?: Record<string, unknown>[]
}

/** A live agent that was probed and says this of itself. */
export function probedAgent(url: string, says: Says): Seen {
  const { tools = [], name, markets = [], channels = [], has_tmp = false, formats } = says
  const document = agentDocumentOf({
    endpoint: url,
    ...(name !== undefined && { server_name: name }),
    tools: tools.map(tool => ({ name: tool })),
    capabilities: { supported_protocols: [], supported_channels: channels, markets, has_tmp },
    ...(formats && { formats }),
    needs_auth: false,
    unread: [],
  })
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  return { kind: 'agent', location: url, document, hash, status: 200, took_ms: 1 }
}
