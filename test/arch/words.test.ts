import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findWordFaults, nounFunctions, wordExceptions } from './words.ts'

const root = join(import.meta.dirname, '../..')
const rooms = ['pipeline', 'jobs', 'api', 'scripts', 'test']
/** Sources that quote names and comments which break the rules. */
const quoting = /^test\/(arch\/words|fixtures\/)/

function listSources(room: string): string[] {
  const names = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => /\.(tsx?|mjs)$/.test(name))
    .map(name => `${room}/${name}`)
    .filter(path => !quoting.test(path))
}

const sources = rooms
  .flatMap(listSources)
  .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('names and comments follow the rules of CONTRIBUTING.md', () => {
  expect(sources.length).toBeGreaterThan(1_500)
  expect(sources.flatMap(({ path, text }) => findWordFaults(path, text))).toEqual([])
})

test('every exception is still needed', () => {
  const all = sources.map(({ text }) => text).join('\n')
  const unused = Object.keys(nounFunctions).filter(
    name => !new RegExp(`function ${name}[<(]`).test(all),
  )
  const unusedNames = Object.keys(wordExceptions).filter(
    name => !new RegExp(`\\b${name}\\b`).test(all),
  )
  expect([...unused, ...unusedNames]).toEqual([])
})

describe('a broken rule is found', () => {
  test.each([
    ['export function brandOf() {}', 'brandOf: begin with a verb instead of ending in Of'],
    ['function rowOf() {}', 'rowOf: begin with a verb instead of ending in Of'],
    ['export function entries() {}', 'entries: a function begins with a verb'],
    ['function entries() {}', 'entries: a function begins with a verb'],
    [
      'class Brands {\n  #ownerOf(domain: string) {}\n}',
      'ownerOf: begin with a verb instead of ending in Of',
    ],
    [
      'interface Brands {\n  ownerOf: (domain: string) => string\n}',
      'ownerOf: begin with a verb instead of ending in Of',
    ],
    ['const told = 1', 'told: name what it is'],
    ['rows.map(one => one.id)', 'one: name what it is'],
    ['const FEW = 10', 'FEW: name the thing and its unit'],
    ['const MAX_ROWS = 10', 'MAX_ROWS: end in _MAX, _MIN or _DEFAULT'],
    [
      '/** Whose a domain is. */\nconst a = 1',
      '“Whose a domain is. …”: begin a comment with its verb or its object',
    ],
    [
      '/** The owner of a domain. */\nfunction findOwner() {}',
      '“The owner of a domain. …”: say first what the function does',
    ],
    [
      'class Pages {\n  /** All of them. */\n  async list(domain: string) {}\n}',
      '“All of them. …”: say first what the function does',
    ],
    ['call({ ...{ a, b } })', 'an object literal is spread in another one'],
  ])('%s', (source, fault) => {
    expect(findWordFaults('api/a.ts', source)).toEqual([`api/a.ts: ${fault}`])
  })

  test.each([
    'export function findBrand() {}',
    'function listEntries() {}',
    'class Brands {\n  findOwner() {}\n}',
    'class Pages {\n  findAsOf() {}\n}',
    'const BloomFilter = 1',
    'const CANDIDATES_MAX = 10',
    '/** Finds a brand. */\nfunction findBrand() {}',
    '/** The brands by domain. */\nconst brands = new Map()',
    'call({ ...rest })',
  ])('%s is fine', source => {
    expect(findWordFaults('api/a.ts', source)).toEqual([])
  })
})
