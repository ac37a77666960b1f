import type { FastifyInstance } from 'fastify'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { PUBLIC_CALLER } from './call-task.ts'
import { sendTooMany } from './http-failure.ts'
import { readCalls } from './read-calls.ts'

interface CredentialQuota {
  callsPerMinute: number
  protocolName: string
}

/**
 * Limits the calls of each credential in a scope, whatever addresses they come from. The credential is the
 * key that signed the request, or else the public one, so this runs after signatures have been verified.
 */
export function limitCredentials(
  app: FastifyInstance,
  { callsPerMinute, protocolName }: CredentialQuota,
): void {
  const count = app.createRateLimit({
    max: callsPerMinute,
    timeWindow: MINUTE,
    keyGenerator: ({ signedBy }) => `credential ${signedBy ?? PUBLIC_CALLER}`,
  })
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST') return undefined
    // A body may contain several calls; one without any counts as one.
    const calls = Math.max(1, readCalls(request.body, protocolName).length)
    for (let call = 0; call < calls; call++) {
      const counted = await count(request)
      if (counted.isAllowed || !counted.isExceeded) continue
      const seconds = Math.max(1, counted.ttlInSeconds)
      const message = 'There are too many calls with this credential'
      return sendTooMany(reply, message, seconds, protocolName)
    }
    return undefined
  })
}
