import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fold, splitWords } from '../../../pipeline/search/fold.ts'
import type { SearchIndex } from '../../../pipeline/search/search-index.ts'
import {
  buildSearchIndex,
  findLiteralMatches,
  findNearMatches,
  type Named,
} from '../../support/checks/search.ts'

/** Few letters, so that names collide; some of two, three and four bytes. */
const letters = [...'abcde-. 12éßж語𝒜😀']
const syllables = ['ac', 'me', 'nova', 'bank', 'медиа', '東京', 'ø', 'ie']
const piece = fc.oneof(fc.constantFrom(...letters), fc.constantFrom(...syllables))
const name = fc.array(piece, { minLength: 1, maxLength: 7 }).map(parts => parts.join(''))
const brand = fc.record(
  { names: fc.array(name, { minLength: 1, maxLength: 3 }), house: name },
  { requiredKeys: ['names'] },
)
const brands = fc.array(brand, { minLength: 1, maxLength: 40 })

/** Draws a part of some name, or any text. */
function drawPart(all: readonly Named[]) {
  const cut = fc
    .tuple(
      fc.constantFrom(...all.flatMap(({ names }) => names)),
      fc.nat(9),
      fc.integer({ min: 1, max: 12 }),
    )
    .map(([text, from, length]) => [...text].slice(from, from + length).join(''))
  return fc.oneof(cut, name)
}

const asked = brands.chain(all => fc.tuple(fc.constant(all), drawPart(all)))

async function searchNumbers(index: SearchIndex, text: string): Promise<number[]> {
  const page = { offset: 0, limit: 1_000 }
  const items = await (await index.all('brands', text)).page(page, () => true)
  return items.map(item => JSON.parse(item).number)
}

async function searchBest(index: SearchIndex, text: string, limit: number): Promise<number[]> {
  return (await index.search(['brands'], text, limit)).brands.map(item => JSON.parse(item).number)
}

it('a list equals a scan of all names: exact, prefix, substring', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ([all, text]) => {
      fc.pre(fold(text) !== '')
      const literal = findLiteralMatches(all, text)
      const expected = literal.length > 0 ? literal : findNearMatches(all, text)
      expect(await searchNumbers(await buildSearchIndex(all), text)).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

it('the best are those and, if none is exact, names one edit away', async () => {
  await fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 1, max: 6 }), async ([all, text], limit) => {
      fc.pre(fold(text) !== '')
      const literal = findLiteralMatches(all, text)
      const isCalledSo = all.some(({ names }) => names.map(fold).includes(fold(text)))
      const near = isCalledSo ? [] : findNearMatches(all, text)
      const expected = [...new Set([...literal, ...near])].slice(0, limit)
      expect(await searchBest(await buildSearchIndex(all), text, limit)).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

const word = fc
  .array(fc.constantFrom(...'abcdefgклж語é𝒜'), { minLength: 4, maxLength: 12 })
  .map(parts => parts.join(''))

const misspelled = fc
  .tuple(
    word,
    fc.constantFrom('less', 'more', 'other', 'changed'),
    fc.nat(12),
    fc.constantFrom(...'abхz'),
  )
  .map(([meant, edit, place, letter]): [string, string] => {
    const characters = [...fold(meant)]
    const at = place % characters.length
    if (edit === 'less') characters.splice(at, 1)
    else if (edit === 'more') characters.splice(at, 0, letter)
    else if (edit === 'other') characters[at] = letter
    else characters.splice(at, 2, ...characters.slice(at, at + 2).reverse())
    return [meant, characters.join('')]
  })

it('any word is found by a single edit of it, alone and beside another one', async () => {
  await fc.assert(
    fc.asyncProperty(
      misspelled,
      fc.array(brand, { maxLength: 5 }),
      async ([meant, typed], others) => {
        fc.pre([...fold(meant)].length >= 4 && splitWords(fold(meant)).length === 1)
        const all = [...others, { names: [`${meant} media`] }]
        fc.pre(!others.some(({ names }) => names.map(fold).includes(typed)))
        const index = await buildSearchIndex(all)
        expect(await searchBest(index, typed, 50)).toContain(others.length)
        expect(await searchBest(index, `${typed} media`, 50)).toContain(others.length)
        expect(await searchBest(index, `meida ${typed}`, 50)).toContain(others.length)
      },
    ),
    { numRuns: 300 },
  )
})

it('pages of a list follow each other, and flags filter what is counted', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ([all, text]) => {
      const matches = await (await buildSearchIndex(all)).all('brands', text)
      const isEven = (flags: number) => flags !== 1
      const whole = await matches.page({ offset: 0, limit: 100 }, isEven)
      const pages: string[] = []
      for (let offset = 0; offset < 100; offset += 3) {
        pages.push(...(await matches.page({ offset, limit: 3 }, isEven)))
      }
      expect(pages).toEqual(whole)
      expect(matches.counter()(isEven)).toBe(whole.length)
    }),
    { numRuns: 50 },
  )
})

it('folding twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), text => {
      expect(fold(fold(text))).toBe(fold(text))
    }),
    { numRuns: 5_000 },
  )
})
