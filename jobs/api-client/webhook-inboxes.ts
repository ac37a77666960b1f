import { randomBytes } from 'node:crypto'
import {
  type Delivery,
  inboxBounds,
  type OpenInbox,
  type WebhookInbox,
} from '../../pipeline/storyboards/webhook-inbox.ts'
import { defineScript, REDIS_PREFIX, type Redis } from '../redis.ts'

/**
 * Inboxes for the webhooks of runs: a crawler opens one under a name that nobody can guess, the API puts
 * into it what arrives there, and it is gone with the run. Redis holds no more of it than `inboxBounds`.
 */

/** Path at which the API receives webhooks. */
export const INBOX_PATH = '/webhooks/storyboards/:run/:step'

export const WEBHOOK_BYTES_MAX = inboxBounds.bytes

const toRulesKey = (run: string) => `${REDIS_PREFIX}:inbox:${run}`
const toPostsKey = (run: string) => `${REDIS_PREFIX}:inbox:${run}:posts`

/** Answers 404 where no run waits, 429 where it has enough, else the status that the run wants its agent to see. */
const PUT = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 404 end
if redis.call('HINCRBY', KEYS[1], 'count', 1) > tonumber(ARGV[3]) then return 429 end
local count = redis.call('HINCRBY', KEYS[1], 'count:' .. ARGV[1], 1)
local rule = redis.call('HGET', KEYS[1], 'refuse:' .. ARGV[1])
local status = 200
if rule then
  local refused, with = string.match(rule, '(%d+) (%d+)')
  if count <= tonumber(refused) then status = tonumber(with) end
end
redis.call('RPUSH', KEYS[2], ARGV[1] .. ' ' .. status .. ' ' .. ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return status`

/** Creates the function that tells whether a run waits for webhooks. */
export function createHasInbox(redis: Redis | undefined): (run: string) => Promise<boolean> {
  return async run => {
    if (redis === undefined) throw new Error('no connection to Redis')
    return (await redis.exists(toRulesKey(run))) === 1
  }
}

type PutWebhook = (
  place: { run: string; step: string },
  webhook: Pick<Delivery, 'headers' | 'body'>,
) => Promise<number>

/** Creates the function by which the API puts a webhook into the inbox of a run; it returns the status to answer. */
export function createPutWebhook(redis: Redis | undefined): PutWebhook {
  const put = defineScript<number>(redis, 'putWebhook', 2, PUT)
  const { deliveries, seconds } = inboxBounds
  return ({ run, step }, webhook) =>
    put(toRulesKey(run), toPostsKey(run), step, JSON.stringify(webhook), deliveries, seconds)
}

/** Creates the function that opens an inbox for a run, at addresses below `base`. */
export function createOpenInbox(redis: Redis, base: string): OpenInbox {
  return async refusals => {
    const run = randomBytes(32).toString('base64url')
    const rules = [...refusals].map(([step, { count, status }]) => [
      `refuse:${step}`,
      `${count} ${status}`,
    ])
    const key = toRulesKey(run)
    await redis.hset(key, { open: 1, ...Object.fromEntries(rules) })
    await redis.expire(key, inboxBounds.seconds)
    const toUrl: WebhookInbox['toUrl'] = step =>
      base + INBOX_PATH.replace(':run', run).replace(':step', step)
    return {
      toUrl,
      async list(step) {
        const posts = await redis.lrange(toPostsKey(run), 0, -1)
        return posts.flatMap(post => {
          const [, name, status, webhook = ''] = /^(\S+) (\d+) (.*)$/s.exec(post) ?? []
          if (name !== step) return []
          return [{ ...JSON.parse(webhook), url: toUrl(step), status: Number(status) }]
        })
      },
      async close() {
        await redis.del(key, toPostsKey(run))
      },
    }
  }
}
