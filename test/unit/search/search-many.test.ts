import { expect, test } from 'vitest'
import {
  buildSearchIndex,
  findLiteralMatches,
  findNearMatches,
  type Named,
} from '../../support/checks/search.ts'

const COUNT = 6_000

/** Every brand is called media or group, few are called both, and none in this order. */
const brands = Array.from({ length: COUNT }, (_, i): Named => {
  if (i % 500 === 0) return { names: [`group ${i} media`] }
  return { names: [i % 2 === 0 ? `media ${i}` : `group ${i}`] }
})

test('words that thousands of names share are found together, also misspelled', async () => {
  const index = await buildSearchIndex(brands)
  const expected = Array.from({ length: COUNT / 500 }, (_, i) => i * 500)
  for (const text of ['media group', 'mdeia gruop']) {
    const matches = await index.all('brands', text)
    const items = await matches.page({ offset: 0, limit: COUNT }, () => true)
    expect(items.map(item => JSON.parse(item).number)).toEqual(expected)
  }
})

test('a substring of thousands of names is found in all of them, the first ones first', async () => {
  const index = await buildSearchIndex(brands)
  const matches = await index.all('brands', 'media')
  expect(matches.counter()(() => true)).toBe(COUNT / 2)
  const { brands: best } = await index.search(['brands'], 'media', 3)
  expect(best.map(item => JSON.parse(item).number)).toEqual([2, 4, 6])
  const { brands: misspelled } = await index.search(['brands'], 'medai', 3)
  expect(misspelled.map(item => JSON.parse(item).number)).toEqual([0, 2, 4])
})

test.each(['media', 'group', 'media 1', 'ia', 'p', '00', 'group 2000', 'group 500 media'])(
  'the first of thousands of names with %j equal those of a scan',
  async text => {
    const index = await buildSearchIndex(brands)
    const expected = findLiteralMatches(brands, text)
    for (const limit of [1, 5, 50]) {
      const { brands: best } = await index.search(['brands'], text, limit)
      const found = best.map(item => JSON.parse(item).number)
      expect(found.slice(0, expected.length)).toEqual(expected.slice(0, limit))
    }
  },
)

const firsts = ['alba', 'belo', 'corin', 'delta', 'elbo', 'fandor']
const seconds = ['gamo', 'halin', 'ister', 'jabo', 'kadem']
const lasts = ['bank', 'foods', 'media', 'motors']
const threeWords = Array.from({ length: 1_500 }, (_, i): Named => {
  const words = [firsts[i % 6], seconds[i % 5], lasts[(i >> 3) % 4], i % 100 === 7 ? 'olymp' : '']
  return { names: [words.join(' ').trim()] }
})

test.each([
  'alba gmao media',
  'delta haln',
  'bnak corni',
  'fandor istr olym',
  'elbo istr motor',
  'belo jabo foodss',
])('%j finds the same as a scan among names that share their words', async text => {
  const index = await buildSearchIndex(threeWords)
  const expected = findNearMatches(threeWords, text)
  expect(expected.length).toBeGreaterThan(3)
  const { brands: best } = await index.search(['brands'], text, 50)
  expect(best.map(item => JSON.parse(item).number)).toEqual(expected.slice(0, 50))
  const items = await (await index.all('brands', text)).page(
    { offset: 0, limit: 1_500 },
    () => true,
  )
  expect(items.map(item => JSON.parse(item).number)).toEqual(expected)
})

test('names with a common beginning of hundreds of characters are told apart', async () => {
  const alike = 'media '.repeat(30)
  const own = Array.from({ length: 400 }, (_, i) => ({ names: [`${alike}${i}`, `x${alike}${i}`] }))
  const index = await buildSearchIndex(own)
  for (const text of [
    `${alike}7`,
    `${alike}399`,
    alike.trim(),
    `${alike}7x`,
    `ia ${'media '.repeat(29)}39`,
  ]) {
    const matches = await index.all('brands', text)
    const items = await matches.page({ offset: 0, limit: 500 }, () => true)
    const expected = findLiteralMatches(own, text)
    expect(items.map(item => JSON.parse(item).number)).toEqual(expected)
    const { brands: best } = await index.search(['brands'], text, 5)
    expect(best.map(item => JSON.parse(item).number)).toEqual(expected.slice(0, 5))
  }
})

test('a long search lets others have their turn', async () => {
  const index = await buildSearchIndex(
    Array.from({ length: 60_000 }, (_, i) => ({ names: [`media group ${i} daily news`] })),
  )
  let turns = 0
  let isDone = false
  const watch = () => {
    turns++
    if (!isDone) setImmediate(watch)
  }
  setImmediate(watch)
  await Promise.all(['news media', 'a', 'ws', 'dialy gruop'].map(text => index.all('brands', text)))
  isDone = true
  expect(turns).toBeGreaterThan(5)
})
