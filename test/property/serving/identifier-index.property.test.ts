import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodePairs } from '../../../pipeline/serving/identifier-index.ts'
import { type Entry, ServingStore } from '../../../pipeline/serving/lmdb.ts'

const RUNS = 15
/** More than one value holds. */
const RIDS = 12

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'names-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const change = fc.record({
  name: fc.constantFrom('one', 'two'),
  rid: fc.nat(RIDS - 1),
  owner: fc.option(fc.constantFrom('a.example', 'b.example'), { freq: 3 }),
})
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never

function buildEntry({ name, rid, owner }: Change): Entry {
  const key = `${name} ${String(rid).padStart(2, '0')}`
  return { space: 'identifier', key, value: owner === null ? undefined : Buffer.from(owner) }
}

test('the value of an identifier is the same for any history of additions and removals', async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 20 }), { maxLength: 5 }), async all => {
      const store = ServingStore.open(join(folder, `${number++}.mdb`))
      const truth = new Map<string, string>()
      for (const [i, changes] of all.entries()) {
        const entries = changes.map(buildEntry)
        store.write(entries, i + 1)
        for (const { key, value } of entries) {
          if (value === undefined) truth.delete(key as string)
          else truth.set(key as string, value.toString())
        }
        for (const name of ['one', 'two']) {
          const pairs = [...truth].filter(([key]) => key.startsWith(name)).sort()
          const value = store.text('named', name)
          const owners = pairs.map(([key, owner]) => ({ rid: key.slice(4), owner }))
          if (owners.length === 0) expect(value).toBeUndefined()
          else expect(decodePairs(value!)).toEqual(owners.length > 8 ? undefined : owners)
        }
      }
      await store.close()
    }),
    { numRuns: RUNS },
  )
})
