import type { FastifyInstance } from 'fastify'
import {
  createPutWebhook,
  INBOX_PATH,
  WEBHOOK_BYTES_MAX,
} from '../../jobs/api-client/webhook-inboxes.ts'
import type { Redis } from '../../jobs/redis.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'

export const webhookPaths: readonly RoutePath[] = [{ method: 'POST', path: INBOX_PATH }]

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

/**
 * Receives the webhooks that an agent posts because a storyboard asked it to. Only the run that waits knows
 * its address, which ends with it; every other one is a path like those that there are not.
 */
export function addStoryboardWebhooks(app: FastifyInstance, redis: Redis | undefined): void {
  const put = createPutWebhook(redis)
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    scope.route<{ Params: { run: string; step: string } }>({
      method: 'POST',
      url: INBOX_PATH,
      bodyLimit: WEBHOOK_BYTES_MAX,
      config: { operation: 'storyboardWebhook' },
      async handler({ params, headers, body }, reply) {
        const isPlace = RUN.test(params.run) && STEP.test(params.step)
        const signed = headerNames.flatMap(name => {
          const value = headers[name]
          return typeof value === 'string' ? [[name, value.slice(0, HEADER_CHARS_MAX)]] : []
        })
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const webhook = { headers: Object.fromEntries(signed), body: bytes.toString('base64') }
        const status = isPlace ? await put(params, webhook) : 404
        if (status === 404) throw new PublicError('not_found', 'No run waits for this webhook')
        return reply.code(status).send(status === 200 ? { received: true } : { error: LATER })
      },
    })
  })
}

const LATER = 'Send this webhook again later'
