import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { Connections } from '../limits/connection-limit.ts'

/** Time during which new requests still get a 503 before the server stops listening. */
const TELLING_MS = 500
/** Time for open requests to end; the supervisor waits a little longer. */
const DRAIN_MS = 8_000
const AGAIN_SECONDS = 2

/**
 * Closes the server in order: open requests are answered, new ones get 503 and their connection is closed.
 * Then idle connections are closed.
 */
export function answerWhileClosing(app: FastifyInstance, connections: Connections): void {
  let isClosing = false
  app.addHook('onRequest', (_request, reply, done) => {
    if (!isClosing) return done()
    reply.header('connection', 'close')
    const fields = { retry_after: AGAIN_SECONDS }
    return done(new PublicError('unavailable', 'this server is closing; try again', fields))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    if (!app.server.listening) return
    await sleep(TELLING_MS)
    connections.drain(DRAIN_MS)
  })
}
