import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CachePurger } from '../../../jobs/indexer/cache-purger.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import type { Entry, SpaceName } from '../../../pipeline/serving/spaces.ts'

let cache: Server
let asked: string[]
let status: number
let purger: CachePurger
let now: number

beforeEach(async () => {
  asked = []
  status = 200
  cache = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers['surrogate-key']}`)
    response.writeHead(status).end()
  })
  await new Promise<void>(resolve => cache.listen(0, '127.0.0.1', resolve))
  const { port } = cache.address() as AddressInfo
  now = -10_000
  purger = new CachePurger(`http://127.0.0.1:${port}`, silentLog, () => now)
  await purger.purge()
  now = 0
  await purger.purge()
  asked.pop()
})

afterEach(() => cache.close())

const write = (space: SpaceName, key: string): Entry => ({ space, key, value: Buffer.from('{}') })

test('the first request purges everything, and a night without changes nothing', async () => {
  expect(asked).toEqual(['PURGE all'])
  purger.note([write('agent_health', 'a'), write('meta', 'seq')])
  await purger.purge()
  expect(asked).toHaveLength(1)
})

test('a commit is one request with all things that it has changed', async () => {
  purger.note([
    write('brand', 'a.example'),
    write('hosted', 'brand.json b.example'),
    write('publisher', 'a.example'),
    write('file', `adagents.json ${'h'.repeat(16)}`),
    write('member', 'acme'),
  ])
  await purger.purge()
  await purger.purge()
  expect(asked.slice(1)).toEqual([
    `PURGE any domain/a.example domain/b.example file/${'h'.repeat(16)} members`,
  ])
})

test('where a commit changes many things of a kind, all of this kind are purged', async () => {
  const brands = Array.from({ length: 1_000 }, (_, i) => write('brand', `d${i}.example`))
  purger.note([...brands, write('reach', 'hash a.example')])
  await purger.purge()
  purger.note([write('brand', 'a.example')])
  await purger.purge()
  expect(asked.slice(1)).toEqual(['PURGE any domain agent/hash', 'PURGE any domain/a.example'])
})

test('what changed is purged again for answers that were on their way, and so is what lists show', async () => {
  purger.noteSnapshot()
  await purger.purge()
  const times: number[] = []
  for (let second = 1; second <= 10; second += 1) {
    now = second * 1_000
    await purger.purge()
    if (asked.length > times.length + 2) times.push(second)
  }
  expect(times).toEqual([1, 5])
  expect(new Set(asked)).toEqual(new Set(['PURGE all', 'PURGE any snapshot']))
})

test('a request that fails is repeated after a growing pause, for everything', async () => {
  const pauseMs = purger.pauseMs
  status = 503
  purger.note([write('brand', 'a.example')])
  await purger.purge()
  await purger.purge()
  expect(purger.pauseMs).toBe(4 * pauseMs)
  status = 200
  await purger.purge()
  await purger.purge()
  expect(asked.slice(1)).toEqual(['PURGE any domain/a.example', 'PURGE all', 'PURGE all'])
  expect(purger.pauseMs).toBe(pauseMs)
})
