import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { brandFile, publisherFile } from '../support/documents.ts'

let registry: TestRegistry

beforeAll(async () => {
  registry = await openRegistry()
  await registry.observe(
    ...['b', 'a', 'c'].map(name => brandFile(`${name}.example`, `Brand ${name}`)),
    publisherFile('a.example', { sites: ['a.example'], agents: [] }),
  )
  await registry.publish()
})

afterAll(() => registry.close())

const brandsIn = async (query = '') => {
  const answer = await registry.app.inject(`/api/brands/registry${query}`)
  const domains = answer.json().brands.map((brand: { domain: string }) => brand.domain)
  return { domains, seq: answer.headers['x-registry-seq'], type: answer.headers['content-type'] }
}

test('a list without filters is answered alike for all, by pages and with filters as ever', async () => {
  const first = await brandsIn()
  expect(first.domains).toEqual(['a.example', 'b.example', 'c.example'])
  expect(first.type).toBe('application/json; charset=utf-8')
  expect(await brandsIn()).toEqual(first)
  expect((await brandsIn('?limit=2')).domains).toEqual(['a.example', 'b.example'])
  expect((await brandsIn('?limit=2&offset=2')).domains).toEqual(['c.example'])
  expect((await brandsIn('?search=b.ex')).domains).toEqual(['b.example'])
  expect((await brandsIn('?search=')).domains).toEqual(first.domains)
  expect((await brandsIn('?source=enriched')).domains).toEqual([])
})

test('whatever was asked for before, a new snapshot shows what is in it', async () => {
  for (let night = 0; night < 3; night++) {
    const before = await brandsIn()
    await registry.observe(brandFile(`n${night}.example`, `A night ${night}`))
    expect(await brandsIn()).toEqual(before)
    await registry.publish()
    const after = await brandsIn()
    expect(after.domains).toContain(`n${night}.example`)
    expect(Number(after.seq)).toBe(Number(before.seq) + 1)
    const properties = await registry.app.inject('/api/properties/registry')
    expect(properties.json().properties).toHaveLength(1)
    expect(properties.headers['x-registry-seq']).toBe(after.seq)
  }
})

test('more different pages than are kept are answered all the same', async () => {
  for (let limit = 1; limit < 40; limit++) {
    expect((await brandsIn(`?limit=${limit}`)).domains).toHaveLength(Math.min(limit, 6))
  }
})
