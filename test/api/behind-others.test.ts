import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../api/operation/operation.ts'
import { pages } from '../../api/pages/index.ts'
import { operations } from '../../api/routes/index.ts'
import {
  type ApiRequest,
  operationRequests,
  unissued,
} from '../support/clients/operation-requests.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(() =>
  openRegistry({ settings: { BACKUP_TO: 's3://registry/private' } }),
)
let key: string

beforeAll(async () => {
  key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
  await registry.publish()
})

/** Marks the folder as one whose stores may lack what another host answered, or removes the mark. */
async function setBehind(isBehind: boolean): Promise<void> {
  const { behind } = registry.reader.paths
  if (isBehind) writeFileSync(behind, '')
  else rmSync(behind, { force: true })
  await registry.reader.refresh()
}

/** Lists requests of an operation: those that the tests of its statuses send, and one for what nobody has. */
function listRequests({ id, path }: Operation): ApiRequest[] {
  const known = Object.values(operationRequests[id] ?? {})
  const plain = known.filter((request): request is ApiRequest => typeof request === 'object')
  const params = [...path.matchAll(/:\w+/g)].map(() => unissued)
  return [...plain, { params, query: `cursor=${unissued}` }]
}

/** All operations that answer from the stores. */
const asked = [...operations, ...pages].filter(
  ({ path, worksWithoutStores }) => !path.includes('/stream') && !worksWithoutStores,
)

async function listStatuses(authorization: string | undefined): Promise<Map<string, number[]>> {
  const statuses = new Map<string, number[]>()
  for (const operation of asked) {
    const found: number[] = []
    for (const { params = [], query, payload, headers } of listRequests(operation)) {
      const values = [params].flat()
      const path = operation.path.replace(/:\w+/g, () => values.shift() ?? 'x')
      const { statusCode } = await registry.send(
        operation.method,
        query === undefined ? path : `${path}?${query}`,
        { headers: { ...(authorization && { authorization }), ...headers }, payload },
      )
      found.push(statusCode)
    }
    statuses.set(operation.id, found)
  }
  return statuses
}

const listDenied = (statuses: Map<string, number[]>, denials = [401, 403, 404, 410]) =>
  [...statuses].filter(([, found]) => found.some(status => denials.includes(status)))

describe('while another host writes, or its answers are being repeated', () => {
  test.each([
    ['a key that these stores lack', () => 'Bearer sk_created-since-the-backup'],
    ['a key that they have, which may have been revoked', () => `Bearer ${key}`],
  ])('no operation answers %s with 401, 403, 404 or 410', async (_, authorization) => {
    await setBehind(true)
    const statuses = await listStatuses(authorization())
    await setBehind(false)
    expect(listDenied(statuses)).toEqual([])
    const bearing = asked.filter(({ access }) => access === 'bearer')
    for (const { id } of bearing)
      expect([id, statuses.get(id)!.every(status => status !== 200)]).toEqual([id, true])
  })

  test('no operation says without a credential that something does not exist; that one is missing is known', async () => {
    await setBehind(true)
    const statuses = await listStatuses(undefined)
    const feed = await registry.app.inject('/api/registry/feed')
    const unknown = await registry.app.inject('/api/no-such-operation')
    await setBehind(false)
    expect(listDenied(statuses, [403, 404, 410])).toEqual([])
    expect([feed.statusCode, unknown.statusCode]).toEqual([401, 404])
  })

  test('the problem is named, and afterwards all is answered as before', async () => {
    const headers = { authorization: `Bearer ${key}` }
    const ask = async () => [
      (await registry.app.inject({ url: '/api/registry/feed', headers })).statusCode,
      (await registry.app.inject('/api/brands/resolve?domain=nobody.example')).statusCode,
      JSON.stringify((await registry.app.inject('/readyz')).json()).includes('another host writes'),
    ]
    expect(await ask()).toEqual([200, 404, false])
    await setBehind(true)
    expect(await ask()).toEqual([503, 503, true])
    await setBehind(false)
    expect(await ask()).toEqual([200, 404, false])
  })
})

test('a host whose writer is silent denies nothing where another one may take over, and goes on to serve', async () => {
  const { heartbeat } = registry.reader.paths
  writeFileSync(heartbeat, '')
  const beat = (agoMs: number) => {
    const at = (registry.clock.now() - agoMs) / 1_000
    utimesSync(heartbeat, at, at)
  }
  const ask = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` }
    return (await registry.app.inject({ url: '/api/registry/feed', headers })).statusCode
  }
  beat(1_000)
  expect([await ask(key), await ask('sk_unknown')]).toEqual([200, 401])
  beat(11_000)
  expect([await ask(key), await ask('sk_unknown')]).toEqual([200, 503])
  rmSync(heartbeat)
})
