import type { FastifyInstance } from 'fastify'
import type { Reader } from '../../pipeline/read/reader.ts'

/** Adds to every answer of a replica the number of seconds by which it may be behind. */
export function showReplicaLag(app: FastifyInstance, reader: Reader): void {
  app.addHook('onRequest', (_request, reply, done) => {
    const { replicaLagMs } = reader
    if (Number.isFinite(replicaLagMs))
      reply.header('x-replica-lag', Math.ceil(replicaLagMs / 1_000))
    done()
  })
}
