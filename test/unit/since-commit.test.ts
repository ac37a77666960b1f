import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SinceCommit } from '../../pipeline/index/points/since-commit.ts'
import { ServingStore } from '../../pipeline/index/serving.ts'

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

/** How often something was worked out. */
function counting() {
  let times = 0
  return () => String(++times)
}

describe('what was worked out since the last commit', () => {
  test('is worked out once a commit for each question', () => {
    const known = new SinceCommit<string>(100, text => text.length)
    const make = counting()
    expect(['a', 'b', 'a', 'b'].map(question => known.get(store, question, make))).toEqual([
      '1',
      '2',
      '1',
      '2',
    ])
    store.write([], 1)
    expect(known.get(store, 'a', make)).toBe('3')
  })

  test('is of one store only, though two are at the same commit', async () => {
    const known = new SinceCommit<string>(100, text => text.length)
    const make = counting()
    const other = ServingStore.open(join(folder, 'other.mdb'))
    expect(known.get(store, 'a', make)).toBe('1')
    expect(known.get(other, 'a', make)).toBe('2')
    await other.close()
  })

  test('stays below its bound, with its questions', () => {
    const known = new SinceCommit<string>(10, () => 3)
    const make = counting()
    const ask = (question: string) => known.get(store, question, make)
    expect([ask('aa'), ask('bb'), ask('aa'), ask('bb')]).toEqual(['1', '2', '1', '2'])
    expect(ask('c')).toBe('3')
    expect(ask('aa')).toBe('4')
  })
})
