import type { FastifyInstance } from 'fastify'
import { anyOrigin } from '../operation/cross-origin.ts'
import type { AgentServices } from './call-task.ts'
import { publishers } from './catalogue/publishers.ts'
import { listTaskNames } from './protocol-names.ts'
import { buildKeySet } from './signing-keys.ts'
import { tenants } from './tenants.ts'

/** Serves the well-known files with which others find this agent. */
export function addWellKnown(app: FastifyInstance, services: AgentServices): void {
  const serve = (path: string, build: () => object) =>
    app.get(path, (_request, reply) =>
      reply.headers({ ...anyOrigin, 'cache-control': 'public, max-age=3600' }).send(build()),
    )
  serve('/.well-known/adagents.json', () => buildAdagents(services))
  serve('/.well-known/brand.json', () => buildBrand(services))
  serve('/.well-known/jwks.json', () =>
    buildKeySet(services.state, services.protocolName, services.now()),
  )
}

/** Builds an adagents.json that also lists the tenants' addresses and tasks. */
function buildAdagents({ toAddress, protocolName }: AgentServices): object {
  return {
    contact: { name: 'Reference agent' },
    authorized_agents: [
      {
        url: toAddress('sales'),
        authorized_for: 'Every product of the reference agent',
        authorization_type: 'inline_properties',
        properties: publishers.map(({ domain, name }) => ({
          property_type: 'website',
          name,
          publisher_domain: domain,
          identifiers: [{ type: 'domain', value: domain }],
        })),
      },
    ],
    tenants: tenants.map(({ name, title, type, tasks }) => ({
      tenant: name,
      title,
      type,
      url: toAddress(name),
      tools: tasks.flatMap(task => listTaskNames(task, protocolName)),
    })),
  }
}

function buildBrand({ origin, toAddress }: AgentServices): object {
  return {
    id: 'reference_agent',
    names: [{ en: 'Reference agent' }],
    description: 'Agents for testing clients: all of their inventory is invented',
    agents: tenants.map(({ name, type, description }) => ({
      type,
      id: name,
      url: toAddress(name),
      description,
      jwks_uri: `${origin()}/.well-known/jwks.json`,
    })),
  }
}
