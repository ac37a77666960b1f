import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

export const REQUEST_ID = 'x-request-id'

/** Ids that callers may choose: short, and harmless in a header, a log and a query of logs. */
const CHOSEN = /^[\w.:=+/-]{1,64}$/

/**
 * Creates a generator of request ids: the caller's own, or a random prefix for this process and a count, so that
 * an id is found in the logs of all processes.
 */
export function createIdGenerator(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomUUID().slice(0, 8)
  let count = 0
  return ({ headers }) => {
    const chosen = headers[REQUEST_ID]
    if (typeof chosen === 'string' && CHOSEN.test(chosen)) return chosen
    return `${prefix}-${(count++).toString(36)}`
  }
}

/** Adds its id to every answer. */
export function tellRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', ({ id }, reply, done) => {
    reply.header(REQUEST_ID, id)
    done()
  })
}
