import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { Connections } from '../limits/connection-limit.ts'

/** Time for which new requests still get a 503 before the server stops listening. */
const REFUSING_MS = 500
/** Time for open requests to end; the supervisor waits a little longer. */
const DRAIN_MS = 8_000
const RETRY_AFTER_S = 2

/**
 * Shuts the server down in order: open requests are answered, new ones get a 503 and their connection is
 * closed, and then idle connections are closed.
 */
export function closeGracefully(app: FastifyInstance, connections: Connections): void {
  let isClosing = false
  app.addHook('onRequest', (_request, reply, done) => {
    if (!isClosing) return done()
    reply.header('connection', 'close')
    const fields = { retry_after: RETRY_AFTER_S }
    return done(new PublicError('unavailable', 'this server is shutting down; try again', fields))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    if (!app.server.listening) return
    await sleep(REFUSING_MS)
    connections.drain(DRAIN_MS)
  })
}
