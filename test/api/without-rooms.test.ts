import { describe, expect, test } from 'vitest'
import type { OptionalRoom } from '../../api/app.ts'
import { openWithSignIn } from '../support/clients/signing-in.ts'
import { startRedis } from '../support/processes/redis.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

/** A path of each room, with its status where the room is there. */
const paths: Record<OptionalRoom, readonly [path: string, status: number]> = {
  pages: ['/brands', 200],
  identity: ['/.well-known/oauth-authorization-server', 200],
  dashboard: ['/dashboard', 303],
}
/** Rooms that need the one that is left out. */
const dependents: Partial<Record<OptionalRoom, OptionalRoom>> = { identity: 'dashboard' }
const rooms = Object.keys(paths) as OptionalRoom[]

const redis = openForAll(startRedis)

const cases = [...rooms.map(room => [room]), rooms].map(without => ({
  without,
  names: without.join(', '),
}))

describe.each(cases)('an API without $names', ({ without }) => {
  const registry = openForAll(() => openWithSignIn({ redis: redis.redis, without }))
  const ask = (path: string) =>
    registry.app.inject({ url: path, headers: { accept: 'text/html,application/json' } })

  test('starts, and answers its operations', async () => {
    const headers = { authorization: `Bearer ${await registry.createKey('Readers')}` }
    await registry.publish()
    for (const url of ['/api/registry/stats', '/openapi.json', '/api/registry/feed']) {
      const { statusCode } = await registry.app.inject({ url, headers })
      expect([url, statusCode]).toEqual([url, 200])
    }
  })

  test('has the other rooms, and says that there is no such page in the ones left out', async () => {
    for (const room of rooms) {
      const [path, there] = paths[room]
      const isLeftOut = without.some(name => name === room || dependents[name] === room)
      const { statusCode, headers, json } = await ask(path)
      expect([path, statusCode]).toEqual([path, isLeftOut ? 404 : there])
      if (!isLeftOut || !without.includes('pages')) continue
      expect(headers['content-type']).toMatch(/^application\/json\b/)
      expect(json().error).toMatch(/./)
    }
  })
})
