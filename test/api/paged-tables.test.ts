import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { toIso } from '../../pipeline/core/clock.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const SELLER = 'https://sales.seller.example/mcp'
const AGENT = `/agent/${encodeURIComponent(SELLER)}`
const PUBLISHER = '/publisher/large.example'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  const numbers = Array.from({ length: 90 }, (_, number) => number)
  const agents = numbers.slice(0, 45).map(number => `https://agent-${number}.example/mcp`)
  await registry.observe(
    ...numbers.slice(0, 31).map(number => {
      const domain = `news-${number}.example`
      return observePublisherFile(domain, { sites: [domain], agents: [SELLER] })
    }),
    observePublisherFile('large.example', {
      sites: numbers.map(number => `s${number}.large.example`),
      agents,
    }),
  )
  registry.clock.tick({ days: 1 })
  await registry.publish()
})

async function read(path: string, table: string) {
  const answer = await registry.app.inject(path)
  expect([path, answer.statusCode]).toEqual([path, 200])
  const page = load(answer.body)
  const [next, previous] = ['next', 'prev'].map(rel =>
    page(`${table} .pages a[rel=${rel}]`).attr('href'),
  )
  const names = page(`${table} tbody th`)
    .map((_, name) => page(name).text())
    .get()
  return { range: page(`${table} .more`).text(), names, next, previous }
}

test.each([
  [AGENT, '#publishers', 31],
  [PUBLISHER, '#properties', 90],
  [PUBLISHER, '#agents', 45],
])('the pages of %s say which rows of %s they show, and lead back', async (path, table, total) => {
  const pages = [await read(path, table)]
  for (let next = pages[0]?.next; next !== undefined; ) {
    const page = await read(next, table)
    pages.push(page)
    next = page.next
  }
  let before = 0
  for (const [index, { range, names, previous }] of pages.entries()) {
    const edges = [...new Set([before + 1, before + names.length])].join('–')
    expect(range).toBe(`${edges} of ${total}`)
    before += names.length
    const earlier = previous === undefined ? undefined : await read(previous, table)
    expect(earlier).toEqual(index === 0 ? undefined : pages[index - 1])
  }
  expect(pages.length).toBeGreaterThan(1)
  expect(new Set(pages.flatMap(({ names }) => names)).size).toBe(total)
})

test('a table that ended on an earlier page says so, and not that its list is empty', async () => {
  const { body } = await registry.app.inject(`${PUBLISHER}?cursor=80`)
  expect(load(body)('#agents .empty').text()).toBe('None on this page.')
})

test('pages of what publishers granted in the past lead on and back to the first', async () => {
  const past = `?as_of=${toIso(registry.clock.now())}`
  const first = await read(AGENT + past, '#publishers')
  expect([first.range, first.names.length, first.previous]).toEqual(['', 10, undefined])
  const second = load((await registry.app.inject(first.next ?? '')).body)
  expect(second('#publishers .pages a').first().attr('href')).not.toContain('cursor')
})
