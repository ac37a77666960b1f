import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CommitCache } from '../../../../pipeline/read/cache/commit-cache.ts'
import { ServingStore } from '../../../../pipeline/serving/lmdb.ts'

let folder: string
let store: ServingStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'since-commit-'))
  store = ServingStore.open(join(folder, 'serving.mdb'))
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** Counts how often something was computed. */
function createCounter() {
  let times = 0
  return () => String(++times)
}

describe('a result cached until the next commit', () => {
  test('is kept for each repeated question', () => {
    const known = new CommitCache<string>(100, text => text.length)
    const make = createCounter()
    const asked = ['a', 'b', 'a', 'b', 'a', 'b', 'a']
    expect(asked.map(question => known.get(store, question, make)).join(' ')).toBe('1 2 3 4 3 4 3')
    store.write([], 1)
    expect(['a', 'a'].map(question => known.get(store, question, make))).toEqual(['5', '5'])
  })

  test('belongs to one store, though two are at the same commit', async () => {
    const known = new CommitCache<string>(100, text => text.length)
    const make = createCounter()
    const other = ServingStore.open(join(folder, 'other.mdb'))
    known.get(store, 'a', make)
    expect(known.get(store, 'a', make)).toBe('2')
    expect(known.get(other, 'a', make)).toBe('3')
    await other.close()
  })

  test('is bounded together with its key, and evicted by last use', () => {
    const known = new CommitCache<string>(10, () => 3)
    const make = createCounter()
    const ask = (question: string) => known.get(store, question, make)
    for (const question of ['aa', 'bb', 'c']) ask(question)
    expect([ask('aa'), ask('bb'), ask('aa'), ask('bb')]).toEqual(['4', '5', '4', '5'])
    expect(ask('c')).toBe('6')
    expect([ask('aa'), ask('c'), ask('bb')]).toEqual(['7', '6', '8'])
  })
})
