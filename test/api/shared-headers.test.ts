import { expect, test } from 'vitest'
import { openRegistry } from '../support/registry/app.ts'
import { cleanUp } from '../support/registry/registry.ts'

const origin = 'https://page.example'
const EXPOSED = 'access-control-expose-headers'

async function open(seconds: number) {
  const registry = await openRegistry({ settings: { SHARED_CACHE_S: String(seconds) } })
  cleanUp(() => registry.close())
  return async (url: string, headers: Record<string, string> = {}) =>
    (await registry.app.inject({ url, headers })).headers
}

const lookups = ['/api/registry/stats', '/api/brands/registry', '/api']

test.each(lookups)(
  'what a shared cache may store of %s is the same for every origin',
  async url => {
    const get = await open(5)
    const [plain, ofScript] = [await get(url), await get(url, { origin })]
    expect(plain['cache-control']).toMatch(/^public, .*max-age=[1-9]/)
    expect(plain[EXPOSED]).toMatch(/etag.*x-registry-seq, x-registry-as-of/)
    expect(ofScript[EXPOSED]).toBe(plain[EXPOSED])
  },
)

test.each(lookups)(
  'without a shared cache only scripts of other origins are told of %s',
  async url => {
    const get = await open(0)
    expect(await get(url)).not.toHaveProperty(EXPOSED)
    expect((await get(url, { origin }))[EXPOSED]).toMatch(/etag/)
  },
)

test('what no cache may store tells its headers only to scripts of other origins', async () => {
  const get = await open(5)
  const plain = await get('/health')
  expect(plain['cache-control']).toBe('no-store')
  expect(plain).not.toHaveProperty(EXPOSED)
})

test('published files, which caches store for long, tell their headers to every origin', async () => {
  const registry = await openRegistry()
  cleanUp(() => registry.close())
  await registry.submit({ op: 'domains.add', domains: ['a.example'] as never, again: false })
  await registry.publish()
  const get = async (url: string, headers: Record<string, string> = {}) =>
    registry.app.inject({ url, headers })
  const { location: snapshot } = (await get('/data/registry.duckdb')).headers
  for (const url of ['/data/registry.duckdb', String(snapshot)]) {
    const [plain, ofScript] = [await get(url), await get(url, { origin })]
    expect(plain.statusCode).toBeLessThan(400)
    expect(plain.headers[EXPOSED]).toMatch(/etag.*x-registry-seq/)
    expect(ofScript.headers[EXPOSED]).toBe(plain.headers[EXPOSED])
  }
})
