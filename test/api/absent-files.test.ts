import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  for (const kind of ['brand.json', 'adagents.json'] as const) {
    await registry.observe(
      { kind, location: 'bare.example', outcome: 'absent', status: 404 },
      { kind, location: 'down.example', outcome: 'server_error', status: 500 },
    )
  }
  await registry.publish()
})

test.each([
  ['/brand/bare.example', 'This domain has no brand.json file, and no member has added an entry.'],
  ['/publisher/bare.example', 'This domain has no adagents.json file.'],
  [
    '/brand/down.example',
    'The registry couldn’t read this domain’s brand.json file, and no member has added an entry.',
  ],
  ['/publisher/down.example', 'The registry couldn’t read this domain’s adagents.json file.'],
  [
    '/brand/new.example',
    'The registry hasn’t read this domain’s brand.json yet. A domain is usually crawled within a minute of its first lookup.',
  ],
])('the page %s says only what is known: %s', async (path, sentence) => {
  const answer = await registry.app.inject(path)
  expect(answer.statusCode).toBe(404)
  expect(load(answer.body)('main').text()).toContain(sentence)
})

test.each(['bare.example', 'down.example'])(
  'a search for %s leads to its last fetch',
  async domain => {
    const page = load((await registry.app.inject(`/search?q=${domain}`)).body)
    expect(page('.notice a').attr('href')).toBe(`/publisher/${domain}`)
  },
)
