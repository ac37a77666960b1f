import { expect, test } from 'vitest'
import { parseRedisInfo, type RedisInfo } from '../../../jobs/api-client/redis-info.ts'
import {
  filterRedisProblems,
  findRedisProblems,
} from '../../../jobs/api-client/redis-requirements.ts'
import { RedisRoom } from '../../../jobs/api-client/redis-room.ts'
import { createRedisCheck } from '../../../jobs/indexer/redis-check.ts'
import { startRedis } from '../../support/processes/redis.ts'
import { createRecordingLog } from '../../support/registry/recording-log.ts'
import { cleanUp } from '../../support/registry/registry.ts'

const MiB = 1024 * 1024
const good: RedisInfo = {
  version: '7.2.4',
  policy: 'noeviction',
  usedBytes: 10 * MiB,
  maxBytes: 512 * MiB,
  isPersistent: true,
}
const fleet = { BACKUP_TO: 's3://registry/private' }

test.each<[string, Partial<RedisInfo>, { BACKUP_TO?: string }, RegExp | undefined]>([
  ['all that is needed', {}, {}, undefined],
  ['all that is needed of a fleet', {}, fleet, undefined],
  ['64 MiB', { maxBytes: 64 * MiB }, {}, undefined],
  ['less than 64 MiB', { maxBytes: 64 * MiB - 1 }, {}, /needs 64 MiB/],
  ['memory of unknown size', { maxBytes: 0 }, {}, undefined],
  ['memory that is three quarters full', { usedBytes: 384 * MiB + 1 }, {}, /uses 384 MiB/],
  ['no persistence', { isPersistent: false }, {}, undefined],
  ['no persistence in a fleet', { isPersistent: false }, fleet, /nothing on disk/],
  ['persistence that it does not tell of', { isPersistent: undefined }, fleet, undefined],
  ['version 6.2', { version: '6.2.0' }, {}, undefined],
  ['version 6.0', { version: '6.0.16' }, {}, /needs 6\.2/],
  ['version 10', { version: '10.0.0' }, fleet, undefined],
  ['version 6.2 in a fleet', { version: '6.2.14' }, fleet, /needs 7\.0 or newer with BACKUP_TO/],
  ['a version that it does not tell of', { version: undefined }, fleet, undefined],
  ...[
    'allkeys-lru',
    'allkeys-lfu',
    'allkeys-random',
    'volatile-lru',
    'volatile-lfu',
    'volatile-random',
    'volatile-ttl',
  ].map(policy => [policy, { policy }, {}, /evicts/] as never),
  ['a policy that it does not tell of', { policy: undefined }, {}, undefined],
])('a Redis with %s is named as what it is', (_, changed, config, problem) => {
  const problems = findRedisProblems({ ...good, ...changed }, config as never)
  expect(filterRedisProblems([...problems, 'lists are old'])).toEqual(problems)
  if (problem === undefined) expect(problems).toEqual([])
  else expect(problems).toEqual([expect.stringMatching(problem)])
})

test('a server tells all that is required of it', async () => {
  const redis = await startRedis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru')
  cleanUp(() => redis.close())
  expect(parseRedisInfo(await redis.redis.info())).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+/),
    policy: 'allkeys-lru',
    maxBytes: 100 * MiB,
    isPersistent: false,
  })
  const room = new RedisRoom(redis.redis)
  expect(await room.findProblems(fleet as never)).toHaveLength(2)
})

test('each problem of Redis is logged once, and again when it comes back', async () => {
  const redis = await startRedis('--maxmemory-policy', 'allkeys-lru')
  cleanUp(() => redis.close())
  const { log, said } = createRecordingLog()
  const check = createRedisCheck(redis.redis, { BACKUP_TO: undefined } as never, log)
  const set = (policy: string) => redis.redis.config('SET', 'maxmemory-policy', policy)
  const count = () => said.filter(line => JSON.stringify(line).includes('evicts')).length
  for (let i = 0; i < 3; i++) await check()
  expect(count()).toBe(1)
  await set('noeviction')
  await check()
  expect(count()).toBe(1)
  await set('allkeys-lru')
  for (let i = 0; i < 3; i++) await check()
  expect(count()).toBe(2)
})
