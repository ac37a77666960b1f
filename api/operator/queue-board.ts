import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyInstance } from 'fastify'
import { openQueues } from '../../jobs/api-client/queue-status.ts'
import { connectRedis } from '../../jobs/redis.ts'
import type { Log } from '../../pipeline/core/log.ts'

const PATH = '/queues'
/** Nothing but the board's own files is loaded or run; it has a `base`, and pictures in its style sheet. */
const boardHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
    "img-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}
/** Queues whose jobs hold what only their caller may see, such as sign-in links and credentials. */
const PRIVATE = new Set(['live', 'storyboards', 'questions'])

/**
 * Adds pages that show the queues and their jobs. They change nothing: what a job held is due again by
 * itself, and an order that somebody else's page sends must have no effect.
 */
export function addQueueBoard(app: FastifyInstance, redisUrl: string, log: Log): void {
  const redis = connectRedis(redisUrl, 'waitForever', log)
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(PATH)
  createBullBoard({
    queues: openQueues(redis).map(queue => {
      const adapter = new BullMQAdapter(queue, { readOnlyMode: true })
      if (PRIVATE.has(queue.name)) {
        adapter.setFormatter('data', hideValue)
        adapter.setFormatter('returnValue', hideValue)
      }
      return adapter
    }),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Registry', hideRedisDetails: true } },
  })
  app.register(async scope => {
    // The board would ask for fonts elsewhere, which tells others of this registry.
    scope.addHook('onSend', async (_request, reply) => void reply.headers(boardHeaders))
    scope.register(serverAdapter.registerPlugin(), { prefix: PATH })
  })
  app.addHook('onClose', async () => redis.disconnect())
}

function hideValue(): string {
  return 'only its caller may see this'
}
