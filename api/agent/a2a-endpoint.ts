import { Readable } from 'node:stream'
import { A2AError, DefaultRequestHandler, JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { getFirst } from '../../pipeline/core/present.ts'
import { anyOrigin } from '../operation/cross-origin.ts'
import { buildAgentCard } from './a2a-card.ts'
import { buildExecutor, buildTaskStore } from './a2a-executor.ts'
import { type AgentServices, toAgentCaller } from './call-task.ts'
import { type Tenant, tenants } from './tenants.ts'

const CARDS = ['/.well-known/agent-card.json', '/.well-known/agent.json']

/**
 * Serves the A2A cards: a tenant's below its own address, at each place where clients look for it, and the
 * first tenant's at the origin.
 */
export function addA2aCards(app: FastifyInstance, services: AgentServices): void {
  const serve = (base: string, tenant: Tenant) => {
    for (const card of CARDS) {
      app.get(`${base}${card}`, (_request, reply) =>
        reply
          .headers({ ...anyOrigin, 'cache-control': 'public, max-age=3600' })
          .send(buildAgentCard(tenant, services)),
      )
    }
  }
  serve('', getFirst(tenants))
  for (const tenant of tenants) {
    serve(`/${tenant.name}`, tenant)
    serve(`/${tenant.name}/a2a`, tenant)
  }
}

/** Serves each tenant at `/<tenant>/a2a` as JSON-RPC, with the same tasks as over MCP. */
export function addA2aEndpoints(app: FastifyInstance, services: AgentServices): void {
  for (const tenant of tenants) {
    app.post(`/${tenant.name}/a2a`, async (request, reply) => {
      const { body } = request
      const calledBy = toAgentCaller(request)
      reply.headers({ ...anyOrigin, 'cache-control': 'no-store' })
      const wrong = refuseMessage(body)
      if (wrong) return reply.send(wrong)
      // Made for each request: the address in the card is known once the agent listens.
      const handler = new DefaultRequestHandler(
        buildAgentCard(tenant, services),
        buildTaskStore(tenant, services, calledBy),
        buildExecutor(tenant, services, calledBy),
      )
      const answer = await new JsonRpcTransportHandler(handler).handle(body)
      return Symbol.asyncIterator in answer ? sendEvents(reply, answer) : reply.send(answer)
    })
  }
}

const AnyRequest = z.looseObject({ method: z.string() })

/** A request with a message, as far as the library relies on it unchecked. */
const MessageRequest = z.looseObject({
  params: z.looseObject({
    message: z.looseObject({
      messageId: z.string().min(1).max(500),
      parts: z.array(z.looseObject({ kind: z.string() })).max(100),
    }),
  }),
})

/** Refuses a message on which the library would fail. */
function refuseMessage(body: unknown): object | undefined {
  const request = AnyRequest.safeParse(body)
  if (!request.success || !request.data.method.startsWith('message/')) return undefined
  const { error } = MessageRequest.safeParse(body)
  if (error === undefined) return undefined
  const { path, message } = getFirst(error.issues)
  const fault = A2AError.invalidParams(`${path.join('.')}: ${message}`)
  return { jsonrpc: '2.0', id: request.data.id ?? null, error: fault.toJSONRPCError() }
}

function sendEvents(reply: FastifyReply, answers: AsyncIterable<object>): FastifyReply {
  async function* format() {
    for await (const answer of answers) yield `data: ${JSON.stringify(answer)}\n\n`
  }
  return reply.header('content-type', 'text/event-stream').send(Readable.from(format()))
}
