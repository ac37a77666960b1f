import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DocumentCache } from '../../../../pipeline/read/cache/document-cache.ts'
import { encodeDocument } from '../../../../pipeline/serving/document-value.ts'
import { ServingStore } from '../../../../pipeline/serving/lmdb.ts'

let folder: string
let store: ServingStore
let seq: number
let parsed: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'document-cache-'))
  store = ServingStore.open(join(folder, 'serving.mdb'))
  seq = 0
  parsed = []
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function commit(documents: Record<string, string | undefined>) {
  const entries = Object.entries(documents).map(([key, text]) => ({
    space: 'inventory' as const,
    key,
    value: text === undefined ? undefined : encodeDocument({ text }, seq),
  }))
  store.write(entries, ++seq)
}

function createCache(maxBytes: number) {
  return new DocumentCache<string>('inventory', maxBytes, json => {
    const { text } = json as { text: string }
    parsed.push(text)
    return text
  })
}

describe('a cached document', () => {
  test('is parsed again only after its content changed', () => {
    const cache = createCache(1_000)
    commit({ a: 'one', b: 'other' })
    for (const key of ['a', 'b', 'a', 'b', 'a', 'b']) cache.get(store, key)
    expect(parsed).toEqual(['one', 'other', 'one', 'other'])
    commit({ a: 'two' })
    expect([cache.get(store, 'a'), cache.get(store, 'b')]).toEqual(['two', 'other'])
    expect(parsed.slice(4)).toEqual(['two'])
  })

  test('is removed with its key', () => {
    const cache = createCache(1_000)
    commit({ a: 'one' })
    cache.get(store, 'a')
    commit({ a: undefined })
    expect(cache.get(store, 'a')).toBeUndefined()
  })

  test('is evicted by last use', () => {
    const cache = createCache(200)
    commit({ a: 'a'.repeat(30), b: 'b'.repeat(30), c: 'c'.repeat(30) })
    for (const key of ['a', 'b', 'c']) cache.get(store, key)
    for (const key of ['a', 'b', 'a', 'c']) cache.get(store, key)
    expect(['a', 'b', 'c'].map(key => cache.has(store, key))).toEqual([true, false, true])
  })

  test('that is larger than the cache is answered and displaces no other', () => {
    const cache = createCache(100)
    const large = 'x'.repeat(500)
    commit({ a: 'one', b: 'two', large })
    for (const key of ['a', 'b', 'a']) cache.get(store, key)
    const answers = [1, 2, 3].map(() => cache.get(store, 'large'))
    expect(answers).toEqual([large, large, large])
    expect(parsed.filter(text => text === large)).toHaveLength(1)
    expect(cache.has(store, 'a')).toBe(true)
  })
})
