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
 * Bounds the calls of each credential in a scope, from whatever addresses they come: of the key that
 * signed them, or else of the public one. It is looked at when signatures have been verified.
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
    // A body may hold several calls.
    for (const _call of [undefined, ...readCalls(request.body).slice(1)]) {
      const counted = await count(request)
      if (counted.isAllowed || !counted.isExceeded) continue
      const seconds = Math.max(1, counted.ttlInSeconds)
      const message = 'There are too many calls with this credential'
      return sendTooMany(reply, message, seconds, protocolName)
    }
    return undefined
  })
}
