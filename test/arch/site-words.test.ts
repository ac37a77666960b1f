import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

/** Lists the phrases of CONTRIBUTING.md that we do not say. */
function listUnsaid(): string[] {
  const section = contributing.split('## Words of the site')[1]!.split('\n## ')[0]!
  const rows = section.split('\n').filter(line => line.startsWith('| '))
  return rows.slice(2).flatMap(row => row.split('|')[2]!.trim().split(', '))
}

/** Lists the files whose words people read. */
function listReadFiles(): string[] {
  const below = ['api', 'docs', 'jobs', 'pipeline', 'scripts'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map(name => `${folder}/${name}`)
      .filter(name => /\.(tsx?|mjs|md)$/.test(name)),
  )
  return ['README.md', 'ARCHITECTURE.md', 'SECURITY.md', ...below]
}

/** Tells whether a text says a phrase; a single word counts only as a whole label. */
function hasPhrase(phrase: string, text: string): boolean {
  if (phrase.includes(' ')) return text.replace(/\s+/g, ' ').includes(phrase)
  return new RegExp(`(['"\`>]|\\n {4,})${phrase}(['"\`<]|\\n)`).test(text)
}

test('the site says none of the phrases that CONTRIBUTING.md rules out', () => {
  const unsaid = listUnsaid()
  expect(unsaid.length).toBeGreaterThan(30)
  const found = listReadFiles().flatMap(path => {
    const text = readFileSync(join(root, path), 'utf8')
    return unsaid.filter(phrase => hasPhrase(phrase, text)).map(phrase => `${path}: ${phrase}`)
  })
  expect(found).toEqual([])
})

test('a label is told from a word in a sentence', () => {
  expect(hasPhrase('Took', "['Took', ms]")).toBe(true)
  expect(hasPhrase('Begin', '<button>Begin</button>')).toBe(true)
  expect(hasPhrase('Took', '// Took too long')).toBe(false)
  expect(hasPhrase('Look around', '<h2>Look\n  around</h2>')).toBe(true)
})

/** Matches a count in a template before a plural that stays one when the count is 1. */
const FIXED_PLURAL =
  /\$\{(?:[^}]*\.)?(?:length|size|count|total|bytes|events|seconds|minutes|days)\} (?:more |other )?[a-z]+s\b/g

/** Texts in which the count is never 1, or the word after it is no plural. */
const otherCounts = [
  'bundleBounds.bytes bytes',
  'count agents',
  'count domains',
  'count more agents',
  'count publishers',
  'managers.length times',
  'rows.length rows',
  'seconds seconds',
  'size controls',
]

test('a noun agrees with the count before it', () => {
  const counts = listReadFiles()
    .filter(path => /\.tsx?$/.test(path) && !path.startsWith('scripts/bench/'))
    .flatMap(path => readFileSync(join(root, path), 'utf8').match(FIXED_PLURAL) ?? [])
  expect([...new Set(counts.map(text => text.replace(/[${}]/g, '')))].toSorted()).toEqual(
    otherCounts,
  )
})

/** Matches what pages contract, and the word by which they would speak for somebody. */
const OTHER_VOICE =
  /(?<![\w’])(?:cannot|(?:do|does|did|is|are|was|were|has|have|will|could) not|[Yy]ou (?:are|will)|[Ww]e|[Oo]urs?)(?![\w’-])/g

/** Lists the words of a page, without its comments and what it refuses as the API does. */
function readPage(path: string): string {
  return readFileSync(join(root, path), 'utf8')
    .replace(/\/\*.*?\*\/|(?<![:'"])\/\/[^\n]*/gs, '')
    .replace(/refuse\([^)]*\)/g, '')
    .replace(/\s+/g, ' ')
}

test('pages speak in one voice: they contract, and never say “we”', () => {
  const pages = listReadFiles().filter(path =>
    /^api\/(?:pages|dashboard|identity)\/.*\.tsx$/.test(path),
  )
  expect(pages.length).toBeGreaterThan(80)
  const found = pages.flatMap(path =>
    Array.from(readPage(path).matchAll(OTHER_VOICE), ([text]) => `${path}: ${text}`),
  )
  expect(found).toEqual([])
})
