import type { FastifyRequest } from 'fastify'
import type { Services } from './services.ts'

/** Adds the caller and the request id to the submissions of a request that writes. */
export function withActor({ principal, id }: FastifyRequest, services: Services): Services {
  const by = principal && {
    kind: principal.kind,
    id: principal.id,
    ...(principal.org_id !== undefined && { org_id: principal.org_id }),
  }
  const { writer } = services
  return {
    ...services,
    writer: {
      requestLive: writer.requestLive,
      runStoryboard: writer.runStoryboard,
      submit: (operation, context) =>
        writer.submit(operation, { ...(by && { by }), request: id, ...context }),
    },
  }
}
