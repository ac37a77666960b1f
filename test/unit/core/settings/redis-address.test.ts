import { describe, expect, it } from 'vitest'
import { parseRedisAddress } from '../../../../pipeline/core/settings/redis-address.ts'

describe('the address of Redis', () => {
  it.each([
    ['unix:///run/redis.sock', { kind: 'socket', path: '/run/redis.sock' }],
    ['redis://', { kind: 'server', server: { host: '127.0.0.1', port: 6379 }, db: 0, login: {} }],
    [
      'rediss://user:p%40ss@redis.example:7000/3',
      {
        kind: 'server',
        server: { host: 'redis.example', port: 7000 },
        db: 3,
        login: { username: 'user', password: 'p@ss', tls: {} },
      },
    ],
    [
      'redis://:secret@[::1]:6380',
      { kind: 'server', server: { host: '::1', port: 6380 }, db: 0, login: { password: 'secret' } },
    ],
    [
      'redis+sentinel://:secret@a.example,b.example:26380/registry/2?sentinel_password=other',
      {
        kind: 'sentinel',
        sentinels: [
          { host: 'a.example', port: 26_379 },
          { host: 'b.example', port: 26_380 },
        ],
        sentinelPassword: 'other',
        name: 'registry',
        db: 2,
        login: { password: 'secret' },
      },
    ],
    [
      'rediss+cluster://10.0.0.1:7001,10.0.0.2:7001',
      {
        kind: 'cluster',
        nodes: [
          { host: '10.0.0.1', port: 7001 },
          { host: '10.0.0.2', port: 7001 },
        ],
        login: { tls: {} },
      },
    ],
  ])('%s names its servers', (url, address) => {
    expect(parseRedisAddress(url)).toEqual(address)
  })

  it.each([
    'http://redis.example',
    'redis.example:6379',
    'redis://a.example,b.example',
    'redis://a.example/0/1',
    'redis://a.example/x',
    'redis://a.example:70000',
    'redis://%zz@a.example',
    'redis+sentinel://a.example:26379',
    'redis+cluster://a.example/1',
    'redis+cluster://a.example,,b.example',
    'redis+proxy://a.example',
  ])('%s is refused', url => {
    expect(parseRedisAddress(url)).toBeUndefined()
  })
})
