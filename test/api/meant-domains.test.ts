import { beforeAll, describe, expect, test } from 'vitest'
import { buildOperatorFile, publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop } from '../support/worlds/nights.ts'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  const known = { names: [{ en: 'Known' }] }
  await publishFiles(registry, {
    'known.example': buildShop('known.example'),
    'brand known.example': { ...known, ...buildOperatorFile(['https://known.example/mcp'], []) },
    'www.both.example': buildShop('www.both.example'),
    'brand www.both.example': {
      ...known,
      ...buildOperatorFile(['https://www.both.example/mcp'], []),
    },
    'both.example': buildShop('both.example'),
    'brand both.example': { ...known, ...buildOperatorFile(['https://both.example/mcp'], []) },
    'brand listed.example': buildOperatorFile([], [{ identifier: 'listed.example' }]),
  })
  for (const kind of ['brand.json', 'adagents.json'] as const)
    await registry.observe({ kind, location: 'www.known.example', outcome: 'absent', status: 404 })
  await registry.publish()
})

const operations: [name: string, path: string][] = [
  ['resolveBrand', '/api/brands/resolve?domain='],
  ['getBrandJson', '/api/brands/brand-json?domain='],
  ['resolveProperty', '/api/properties/resolve?domain='],
  ['lookUpPublisher', '/api/registry/publisher?domain='],
  ['lookUpPublisher by pages', '/api/registry/publisher?limit=10&domain='],
  ['lookUpPublisher with placements', '/api/registry/publisher?include=placements&domain='],
  ['lookUpDomain', '/api/registry/lookup/domain/'],
  [
    'authorizePublisher',
    '/api/registry/publisher/authorization?agent=https://x.example/mcp&domain=',
  ],
  ['lookUpOperator', '/api/registry/operator?domain='],
  ['brandHistory', '/api/brands/history?domain='],
  ['propertyHistory', '/api/properties/history?domain='],
]

const ask = async (url: string) => (await registry.app.inject(url)).json()

describe.each(operations)('%s', (_, path) => {
  test('names the domain that is known without its www.', async () => {
    expect(await ask(`${path}WWW.known.example`)).toMatchObject({
      domain: 'www.known.example',
      did_you_mean: ['known.example'],
    })
  })

  test.each(['known.example', 'www.both.example', 'www.nobody.example', 'm.known.example'])(
    'names no other domain for %s',
    async domain => {
      expect(await ask(path + domain)).not.toHaveProperty('did_you_mean')
    },
  )
})

describe.each(['brand.json', 'adagents.json'])('lookUpManifest of a %s', type => {
  const path = `/api/manifest-refs/lookup?type=${type}&domain=`

  test('names the domain that has one without its www.', async () => {
    expect(await ask(`${path}www.known.example`)).toMatchObject({
      found: false,
      did_you_mean: ['known.example'],
    })
  })

  test.each(['known.example', 'www.both.example', 'www.nobody.example'])(
    'names no other domain for %s',
    async domain => {
      expect(await ask(path + domain)).not.toHaveProperty('did_you_mean')
    },
  )
})

test('a publisher is meant whose brand.json alone lists properties', async () => {
  expect(await ask('/api/registry/publisher?domain=www.listed.example')).toMatchObject({
    did_you_mean: ['listed.example'],
  })
})
