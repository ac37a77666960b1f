import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { AdagentsDocument, BrandDocument } from '../../../pipeline/model/documents/index.ts'
import type { FileKind } from '../../../pipeline/model/observation.ts'
import { type Parsed, parseDocument } from '../../../pipeline/parse/parse-document.ts'
import { measureCpuMs } from '../../support/checks/measured-work.ts'
import { fileFields, hasWrongType } from '../../support/fixtures/file-fields.ts'
import {
  drawMutation,
  type Mutation,
  mutate,
  type Path,
} from '../../support/fixtures/json-mutations.ts'

type Json = Record<string, unknown>

const root = join(import.meta.dirname, '../../..')
/** Documents of our own, and those of a folder beside the checkout where there is one. */
const folders = ['test/fixtures/documents', '../shared/corpus'].map(name => join(root, name))
const FAULTS_MAX = 100_000

const documents = folders.filter(existsSync).flatMap(folder =>
  (['adagents', 'brand'] as const).flatMap(name =>
    readdirSync(join(folder, name)).map(file => ({
      name: `${name}/${file}`,
      kind: `${name}.json` as FileKind,
      text: readFileSync(join(folder, name, file), 'utf8'),
    })),
  ),
)

function parse(kind: FileKind, body: string | Uint8Array, maxFaults = FAULTS_MAX): Parsed {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return parseDocument(kind, bytes, { domain: 'harbour.example', maxFaults })
}

function findSchema(kind: FileKind) {
  return kind === 'adagents.json' ? AdagentsDocument : BrandDocument
}

/** Checks what holds for any bytes at all. */
function checkShape(kind: FileKind, parsed: Parsed, maxFaults = FAULTS_MAX): void {
  expect(parsed.faults.length).toBeLessThanOrEqual(maxFaults)
  if (parsed.outcome !== 'ok') {
    expect(parsed.document).toBeUndefined()
    expect(parsed.faults.some(({ severity }) => severity === 'error')).toBe(true)
    return
  }
  const checked = findSchema(kind).parse(parsed.document)
  expect(isDeepStrictEqual(checked, parsed.document)).toBe(true)
}

describe.each(documents)('$name, with one change', ({ kind, text }) => {
  const original = JSON.parse(text) as Json
  const before = parse(kind, text)
  const addresses = text.match(/[\w.]+@[\w.]+/g) ?? []

  it('is parsed, keeps everything else, and reports where', () => {
    expect(before.outcome).toBe('ok')
    fc.assert(
      fc.property(drawMutation(original), mutation => {
        const after = parse(kind, JSON.stringify(mutate(original, mutation)))
        checkShape(kind, after)
        const said = JSON.stringify(after)
        expect(addresses.filter(address => said.includes(address))).toEqual([])
        checkOthers(kind, mutation, before.document as Json, after)
        checkNamed(kind, mutation, after)
      }),
      { seed: 20261120, numRuns: 500 },
    )
  })
})

/**
 * Checks that everything but the changed place is read as before: the other lists, the other items of
 * the list, and the other fields of the item unless the item is dropped.
 */
function checkOthers(kind: FileKind, mutation: Mutation, before: Json, after: Parsed): void {
  const [top, ...below] = mutation.path
  const decisive = fileFields[kind].decisive as readonly unknown[]
  if (top === undefined || (below.length === 0 && decisive.includes(top))) return
  // A brand may lose its only name.
  if (before.variant === 'brand_canonical' && top === 'names') return
  const document = after.document as Json
  expect(document?.variant).toBe(before.variant)
  for (const [key, name] of Object.entries(fileFields[kind].lists)) {
    const was = before[name] as Json[] | undefined
    if (was === undefined) continue
    const is = document[name] as Json[]
    if (key !== top) expect(is).toEqual(was)
    else if (below.length > 0) checkRest(was, is, below, mutation)
    checkVital(was, is, mutation)
  }
  for (const name of ['brand', 'house'].filter(part => isObject(before[part]))) {
    const path = name === 'house' ? below : mutation.path
    if (name === 'house' && top !== 'house') expect(document.house).toEqual(before.house)
    else checkRest(before[name], document[name], path, mutation)
  }
}

/**
 * Checks that an item is dropped only for a required field, and not for one of several values of such a
 * field.
 */
function checkVital(was: Json[], is: Json[], { path, how }: Mutation): void {
  const [list, index, field, ...below] = path
  if (field === undefined || how === 'duplicate' || is.length >= was.length) return
  expect(fileFields.required[String(list)] ?? []).toContain(field)
  const value = was[Number(index)]![field]
  expect(Array.isArray(value) && value.length > 1 && below.length > 0).toBe(false)
}

function checkRest(was: unknown, is: unknown, path: Path, mutation: Mutation): void {
  const [step, ...below] = path
  if (step === undefined || mutation.how === 'duplicate') return
  if (Array.isArray(was) && Array.isArray(is) && typeof step === 'number') {
    const left = is.map(omitEntryNumber)
    for (const [i, other] of was.entries()) {
      if (i === step) continue
      expect(left.some(item => isDeepStrictEqual(item, omitEntryNumber(other)))).toBe(true)
    }
    if (is.length === was.length) checkRest(was[step], is[step], below, mutation)
  } else if (isObject(was) && isObject(is)) {
    expect(omitField(is, String(step), was)).toEqual(omitField(was, String(step), was))
    checkRest(was[step], is[step], below, mutation)
  }
}

/** Omits the changed field, what is derived from it, and the manifest if the field is part of it. */
function omitField(object: Json, field: string, was: Json): Json {
  const gone = new Set([field, 'entry', ...(fileFields.derived[field] ?? [])])
  if (!(field in was)) gone.add('manifest')
  return Object.fromEntries(Object.entries(object).filter(([key]) => !gone.has(key)))
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Omits the number of an entry, which shifts if an entry is added before it. */
function omitEntryNumber(item: unknown): unknown {
  if (!isObject(item)) return item
  const { entry: _entry, ...rest } = item
  return rest
}

/** Checks that a value of the wrong type is a fault at its place, or right above or below. */
function checkNamed(kind: FileKind, { how, path, value }: Mutation, after: Parsed): void {
  if (how !== 'replace' || path.length === 0 || !hasWrongType(kind, path, value)) return
  const named = after.faults.some(({ field }) => isBelow(splitField(field), path.map(String)))
  expect(named, `${path.join('.')} in ${JSON.stringify(after.faults.slice(-5))}`).toBe(true)
}

function splitField(field: string): string[] {
  return field.split(/[.[\]]+/).filter(part => part !== '')
}

function isBelow(a: readonly string[], b: readonly string[]): boolean {
  return a.slice(0, b.length).every((part, i) => part === b[i])
}

describe('any bytes', () => {
  const kinds: FileKind[] = ['adagents.json', 'brand.json']
  const sample = documents.filter(({ text }) => text.length < 4_000)

  it('that are a truncated file are parsed without an exception', () => {
    for (const { kind, text } of sample) {
      const bytes = Buffer.from(text.trim())
      for (let end = 0; end < bytes.length; end += 7) {
        expect(parse(kind, bytes.subarray(0, end)).outcome).toBe('not_json')
      }
    }
  })

  it('with some of them changed are parsed without an exception', () => {
    const change = fc.tuple(fc.nat(1e6), fc.nat(255))
    const bytes = fc.tuple(fc.constantFrom(...sample), fc.array(change, { maxLength: 6 }))
    fc.assert(
      fc.property(bytes, ([{ kind, text }, changes]) => {
        const body = Buffer.from(text)
        for (const [at, byte] of changes) body[at % body.length] = byte
        const { outcome, faults } = parse(kind, body, 20)
        expect(['ok', 'unusable', 'not_json']).toContain(outcome)
        expect(faults.length).toBeLessThanOrEqual(20)
      }),
      { seed: 7, numRuns: 2_000 },
    )
  })

  it('that are any JSON give a valid document, or none', () => {
    const known = fc.constantFrom(
      ...['authorized_agents', 'properties', 'brands', 'agents', 'house', 'names', 'id', 'url'],
      ...['formats', 'signals', 'placements', 'collections', 'tags', 'type', 'identifiers'],
    )
    const leaf = fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.webUrl(), fc.domain())
    const arbitraryObject = (value: fc.Arbitrary<unknown>) =>
      fc.dictionary(known, value, { maxKeys: 5 })
    const wrap = (value: fc.Arbitrary<unknown>) =>
      fc.oneof(leaf, arbitraryObject(value), fc.array(value, { maxLength: 3 }))
    const json = wrap(wrap(wrap(leaf)))
    fc.assert(
      fc.property(arbitraryObject(json), fc.constantFrom(...kinds), (body, kind) => {
        const parsed = parse(kind, JSON.stringify(body))
        if (parsed.document) findSchema(kind).parse(parsed.document)
      }),
      { seed: 11, numRuns: 1_000 },
    )
  })
})

const N = 100_000
const many = (item: (i: number) => string, key = 'properties') =>
  `{"${key}":[${Array.from({ length: N }, (_, i) => item(i)).join(',')}]}`
const agentWith = (key: string, list: (i: number) => string) =>
  `{"authorized_agents":[{"url":"https://a.example","${key}":[${Array.from({ length: N }, (_, i) => list(i)).join(',')}]}]}`
const property = (i: number, more = '') =>
  `{"property_type":"website","name":"P","property_id":"p${i}","identifiers":[{"type":"domain","value":"p${i}.example"}]${more}}`

describe('a large or hostile body is parsed in bounded time', () => {
  test.each<[string, () => string, Parsed['outcome']]>([
    ['100,000 levels of lists', () => '['.repeat(N) + ']'.repeat(N), 'unusable'],
    [
      '100,000 levels of lists in a list',
      () => `{"properties":${'['.repeat(N)}${']'.repeat(N)}}`,
      'unusable',
    ],
    [
      '100,000 levels of objects',
      () => `${'{"properties":'.repeat(N)}1${'}'.repeat(N)}`,
      'unusable',
    ],
    ['100,000 levels that never end', () => '{"a":['.repeat(N), 'not_json'],
    ['one text of 10 MB', () => `{"properties":[],"superseded_by":"${'x'.repeat(1e7)}"}`, 'ok'],
    ['a domain of 10 MB', () => `{"revoked_publisher_domains":["${'ü'.repeat(5e6)}"]}`, 'ok'],
    ['a key of 10 MB', () => `{"properties":[],"tags":{"${'k'.repeat(1e7)}":1}}`, 'ok'],
    ['100,000 sound properties', () => many(i => property(i)), 'ok'],
    ['100,000 empty objects', () => many(() => '{}'), 'ok'],
    ['100,000 times the same property', () => many(() => property(1)), 'ok'],
    ['100,000 tags', () => many(i => property(i, `,"tags":["t${i}"]`)), 'ok'],
    ['100,000 numbers', () => many(String, 'authorized_agents'), 'ok'],
    [
      '100,000 entries',
      () => many(i => `{"url":"https://a${i}.example"}`, 'authorized_agents'),
      'ok',
    ],
    [
      '5,000 addresses of 2,000 dots each',
      () => {
        const entry = `{"url":"https://a${'.'.repeat(2_000)}x"}`
        return `{"authorized_agents":[${Array(5_000).fill(entry)}]}`
      },
      'ok',
    ],
    ['100,000 bad countries', () => agentWith('countries', i => `"c${i}"`), 'ok'],
    [
      '100,000 identifiers',
      () =>
        `{"properties":[{"identifiers":[${Array.from({ length: N }, (_, i) => `{"type":"domain","value":"a${i}.example"}`).join(',')}]}]}`,
      'ok',
    ],
    [
      '100,000 keys',
      () => `{"properties":[],${Array.from({ length: N }, (_, i) => `"k${i}":1`).join(',')}}`,
      'ok',
    ],
    ['100,000 times the same key', () => `{${'"properties":1,'.repeat(N)}"properties":[]}`, 'ok'],
    [
      '100,000 half characters',
      () => `{"properties":[],"tags":{${'"\\ud800":"\\udfff",'.repeat(N)}"a":1}}`,
      'ok',
    ],
    [
      '100,000 backslashes',
      () => `{"properties":[],"tags":{"a":"${'\\\\'.repeat(N)}\\u0000"}}`,
      'ok',
    ],
    ['100,000 addresses', () => `{"properties":[],"tags":{"${'a@'.repeat(N)}":1}}`, 'ok'],
  ])('%s', async (_name, body, outcome) => {
    const text = body()
    let parsed = parse('adagents.json', '{}', 50)
    const ms = await measureCpuMs(() => {
      parsed = parse('adagents.json', text, 50)
    })
    expect(ms).toBeLessThan(10_000)
    expect(parsed.outcome).toBe(outcome)
    expect(parsed.faults.length).toBeLessThanOrEqual(50)
    expect(JSON.stringify(parsed.faults).length).toBeLessThan(40_000)
  })

  it('one network selects 6,800 publishers', () => {
    const domains = Array.from({ length: 6_800 }, (_, i) => `p${i}.example`)
    const selector = { selection_type: 'all', publisher_domains: domains }
    const agent = { url: 'https://a.example', publisher_properties: [selector] }
    const { document } = parse('adagents.json', JSON.stringify({ authorized_agents: [agent] }))
    const [entry] = (document as AdagentsDocument & { variant: 'inline' }).agents
    expect(entry!.publisher_properties![0]!.publisher_domains).toEqual(domains)
  })

  it('a house lists 20,000 brands, half of them twice', () => {
    const brands = Array.from({ length: 20_000 }, (_, i) => ({
      id: `b${i % 15_000}`,
      names: [{ en: 'B' }],
    }))
    const body = JSON.stringify({ house: { domain: 'harbour.example', name: 'H' }, brands })
    const { document } = parse('brand.json', body, 50)
    expect((document as BrandDocument & { variant: 'house_portfolio' }).brands).toHaveLength(15_000)
  })
})
