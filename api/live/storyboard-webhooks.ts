import type { FastifyInstance } from 'fastify'
import type { RedisRoom } from '../../jobs/api-client/redis-room.ts'
import {
  createHasInbox,
  createPutWebhook,
  INBOX_PATH,
  WEBHOOK_BYTES_MAX,
} from '../../jobs/api-client/webhook-inboxes.ts'
import type { Redis } from '../../jobs/redis.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { buildAddressLimit } from '../limits/per-address.ts'

export const webhookPaths = [{ method: 'POST', path: INBOX_PATH }] as const

/** Headers that a signature of a webhook covers, or is. */
const headerNames = [
  'content-type',
  'content-digest',
  'content-length',
  'signature',
  'signature-input',
] as const
const HEADER_CHARS_MAX = 4_096
const STEP = /^[\w-]{1,100}$/
const RUN = /^[\w-]{43}$/
/** Seconds after which Redis may have room again. */
const RETRY_S = 5

interface Place {
  run: string
  step: string
}

/**
 * Receives the webhooks that an agent posts because a storyboard asked it to. Only the run that waits knows
 * its address, which ends with it; every other one is a path like those that there are not. A webhook is
 * refused before its body is read.
 */
export function addStoryboardWebhooks(
  app: FastifyInstance,
  redis: Redis | undefined,
  { config: { LIMITS }, redisRoom }: { config: Config; redisRoom: RedisRoom },
): void {
  const put = createPutWebhook(redis)
  const hasInbox = createHasInbox(redis)
  const rateLimit = buildAddressLimit(LIMITS.storyboardWebhooksPerMinute, MINUTE)
  const requirePlace = async ({ run, step }: Place) => {
    const isPlace = RUN.test(run) && STEP.test(step)
    if (!isPlace || !(await hasInbox(run))) refuseUnknown()
    if (!(await redisRoom.hasRoom())) refuse('rate_limited', FULL, { retry_after: RETRY_S })
  }
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    scope.route<{ Params: Place }>({
      method: 'POST',
      url: INBOX_PATH,
      bodyLimit: WEBHOOK_BYTES_MAX,
      config: { operation: 'storyboardWebhook', rateLimit },
      onRequest: ({ params }) => requirePlace(params),
      async handler({ params, headers, body }, reply) {
        const signed = headerNames.flatMap(name => {
          const value = headers[name]
          return typeof value === 'string' ? [[name, value.slice(0, HEADER_CHARS_MAX)]] : []
        })
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const webhook = { headers: Object.fromEntries(signed), body: bytes.toString('base64') }
        const status = await put(params, webhook)
        // The run may have ended while the body arrived.
        if (status === 404) refuseUnknown()
        return reply.code(status).send(status === 200 ? { received: true } : { error: LATER })
      },
    })
  })
}

const FULL = 'no more webhooks can be kept at the moment'
const LATER = 'Send this webhook again later'

function refuseUnknown(): never {
  return refuse('not_found', 'No run waits for this webhook')
}
