import type { AgentCard } from '@a2a-js/sdk'
import type { AgentServices } from './call-task.ts'
import { listTaskNames } from './protocol-names.ts'
import type { Tenant } from './tenants.ts'

/** Version of A2A that is spoken here. */
const A2A_VERSION = '0.3.0'

/** Builds the card with which A2A clients find a tenant: its tasks are the skills. */
export function buildAgentCard(
  { name, title, description, tasks }: Tenant,
  { origin, toAddress, protocolName }: Pick<AgentServices, 'origin' | 'toAddress' | 'protocolName'>,
): AgentCard {
  return {
    protocolVersion: A2A_VERSION,
    name: title,
    description,
    version: '1.0.0',
    url: toAddress(name).replace(/mcp$/, 'a2a'),
    preferredTransport: 'JSONRPC',
    provider: { organization: 'Reference agent', url: origin() },
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    security: [{ bearer: [] }],
    skills: tasks.flatMap(task =>
      listTaskNames(task, protocolName).map(id => ({
        id,
        name: task.title,
        description: task.description,
        tags: [task.mutates ? 'writes' : 'reads'],
      })),
    ),
  }
}
