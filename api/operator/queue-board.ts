import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyInstance } from 'fastify'
import { openQueues } from '../../jobs/api-client/queue-status.ts'
import { connectRedis } from '../../jobs/redis.ts'
import type { Log } from '../../pipeline/core/log.ts'

const PATH = '/queues'
/**
 * Allows the board to load and run only its own files. It needs its `base` element, and the pictures in its
 * style sheet.
 */
const boardHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
    "img-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}
/** Queues whose jobs contain data that only their caller may see, such as sign-in links and credentials. */
const PRIVATE_QUEUES = new Set(['live', 'storyboards', 'questions'])

/**
 * Adds pages that show the queues and their jobs. They are read-only: lost work becomes due again without
 * help, and a request that another site forges must have no effect.
 */
export async function addQueueBoard(
  app: FastifyInstance,
  redisUrl: string,
  log: Log,
): Promise<void> {
  const redis = connectRedis(redisUrl, 'waitForever', log)
  const queues = await openQueues(redis)
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(PATH)
  createBullBoard({
    queues: queues.map(queue => {
      const adapter = new BullMQAdapter(queue, { readOnlyMode: true })
      if (PRIVATE_QUEUES.has(queue.name)) {
        adapter.setFormatter('data', hideValue)
        adapter.setFormatter('returnValue', hideValue)
      }
      return adapter
    }),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Registry', hideRedisDetails: true } },
  })
  app.register(async scope => {
    // Without the policy, the board would load fonts from another server.
    scope.addHook('onSend', async (_request, reply) => void reply.headers(boardHeaders))
    scope.register(serverAdapter.registerPlugin(), { prefix: PATH })
  })
  app.addHook('onClose', async () => redis.disconnect())
}

function hideValue(): string {
  return 'only its caller may see this'
}
