import { expect, test } from 'vitest'
import { buildSearchIndex } from '../../support/checks/search.ts'

const COUNT = 2_500
const PLENTY = 1e6
const numbers = [...Array(COUNT).keys()]
const listed = async () =>
  (await buildSearchIndex(numbers.map(number => ({ names: [`n${number}`] })))).listing('brands')
const parsed = (items: Buffer): number[] =>
  JSON.parse(`[${items}]`).map((item: { number: number }) => item.number)

test('a page has the same items, wherever it begins', async () => {
  const listing = await listed()
  for (const [offset, limit] of [
    [0, 1] as const,
    [0, 0] as const,
    [1_020, 10] as const,
    [2_047, 2] as const,
    [COUNT - 1, 5] as const,
    [COUNT, 5] as const,
    [1e9, 5] as const,
    [0, 5_000] as const,
  ] as const) {
    const page = listing.page({ offset, limit }, undefined, PLENTY)
    expect(parsed(page.items)).toEqual(numbers.slice(offset, offset + limit))
    expect(page.isCut).toBe(false)
  }
})

test.each([0, 1, 2, 3])(
  'a page of items with flags %i has the same items, wherever it begins',
  async flags => {
    const listing = await listed()
    const own = numbers.filter(number => number % 3 === flags)
    const filter = { name: `${flags}`, matches: (of: number) => of === flags }
    expect(listing.count(filter.matches)).toBe(own.length)
    for (const offset of [0, 1, 340, 341, 342, 682, own.length - 1, own.length, 1e9]) {
      const { items } = listing.page({ offset: Math.max(0, offset), limit: 7 }, filter, PLENTY)
      expect(parsed(items)).toEqual(own.slice(Math.max(0, offset), Math.max(0, offset) + 7))
    }
  },
)

test('the items up to a place are counted, whether there is an item at it or not', async () => {
  const listing = await listed()
  const filter = { name: 'odd', matches: (of: number) => of === 1 }
  for (const place of [-1, 0, 0.5, 1_023, 1_024.5, 2_047, COUNT - 1, COUNT]) {
    const isBeyond = (item: string) => JSON.parse(item).number > place
    const upTo = numbers.filter(number => number <= place)
    expect(listing.countUntil(isBeyond, undefined)).toBe(upTo.length)
    const own = upTo.filter(number => number % 3 === 1)
    expect(listing.countUntil(isBeyond, filter)).toBe(own.length)
  }
})

test('adjacent and distant items come in one page', async () => {
  const listing = await listed()
  const filter = { name: 'not 1', matches: (flags: number) => flags !== 1 }
  const own = numbers.filter(number => number % 3 !== 1)
  const { items } = listing.page({ offset: 3, limit: 1_500 }, filter, PLENTY)
  expect(parsed(items)).toEqual(own.slice(3, 1_503))
})

test('a page holds as many items as fit, each counted with a comma', async () => {
  const listing = await listed()
  const bytes = '{"number":0},{"number":1},'.length
  const shown = (most: number) => listing.page({ offset: 0, limit: 9 }, undefined, most)
  expect(parsed(shown(bytes).items)).toEqual([0, 1])
  expect(parsed(shown(bytes - 1).items)).toEqual([0])
  expect(shown(1)).toEqual({ items: Buffer.alloc(0), count: 0, isCut: true })
})
