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

beforeEach(async () => {
  asked = []
  status = 200
  cache = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers['surrogate-key']}`)
    response.writeHead(status).end()
  })
  await new Promise<void>(resolve => cache.listen(0, '127.0.0.1', resolve))
  const { port } = cache.address() as AddressInfo
  purger = new CachePurger(`http://127.0.0.1:${port}`, silentLog)
  await purger.purge()
})

afterEach(() => cache.close())

const write = (space: SpaceName, key: string): Entry => ({ space, key, value: Buffer.from('{}') })

test('the first request purges everything, and a night without changes nothing', async () => {
  expect(asked).toEqual(['PURGE all'])
  purger.note([write('freshness', 'a.example'), write('meta', 'seq')])
  await purger.purge()
  expect(asked).toHaveLength(1)
})

test('a commit is one request with the brands and the answers that it has changed', async () => {
  purger.note([
    write('brand', 'a.example'),
    write('brand', 'b.example'),
    write('publisher', 'c.example'),
  ])
  await purger.purge()
  await purger.purge()
  expect(asked.slice(1)).toEqual(['PURGE any domain/a.example domain/b.example'])
})

test('a commit with more keys than fit into a header purges everything', async () => {
  purger.note(Array.from({ length: 1_000 }, (_, i) => write('brand', `d${i}.example`)))
  await purger.purge()
  expect(asked.slice(1)).toEqual(['PURGE all'])
  purger.note([write('brand', 'a.example')])
  await purger.purge()
  expect(asked.at(-1)).toBe('PURGE any domain/a.example')
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
