import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileKinds } from '../../../pipeline/model/observation.ts'
import {
  encodeFreshness,
  mayLeadOn,
  mergeFreshness,
  readFreshness,
} from '../../../pipeline/serving/freshness-record.ts'
import { toFileKey, toFreshnessKey } from '../../../pipeline/serving/keys.ts'
import { type Entry, ServingStore } from '../../../pipeline/serving/lmdb.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pointers-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const locations = ['a.example', 'b.example', 'https://b.example/files/brand.json'] as const
const place = { kind: fc.constantFrom(...fileKinds), location: fc.constantFrom(...locations) }
const facts = fc.record({
  outcome: fc.constantFrom('ok' as const, 'http_error' as const),
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  attempted_at: fc.integer({ min: 1, max: 4e12 }),
  succeeded_at: fc.option(fc.integer({ min: 1, max: 4e12 })),
})
const change = fc.oneof(
  fc.record({ ...place, attempt: facts }),
  fc.record({ ...place, target: fc.option(fc.constantFrom('c.example', 'd.example')) }),
  fc.record({ location: place.location, isForgotten: fc.constant(true) }),
)
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never

function buildEntry(made: Change): Entry {
  if ('isForgotten' in made)
    return {
      space: 'freshness',
      key: toFreshnessKey('brand.json', made.location),
      value: undefined,
    }
  const { kind, location } = made
  if ('attempt' in made) {
    const value = encodeFreshness(kind, made.attempt)
    return { space: 'freshness', key: toFreshnessKey(kind, location), value }
  }
  const value = made.target === null ? undefined : Buffer.from(made.target)
  return { space: 'pointer', key: toFileKey(kind, location), value }
}

test('freshness tells which files lead to another one, whatever was written first, and nothing else of it changes', async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 5 }), async all => {
      const store = ServingStore.open(join(folder, `${number++}.mdb`))
      const plain = new Map<string, Buffer | undefined>()
      for (const [i, changes] of all.entries()) {
        const entries = changes.map(buildEntry)
        store.write(entries, i + 1)
        for (const { key, value } of entries.filter(({ space }) => space === 'freshness'))
          plain.set(key as string, value && mergeFreshness(plain.get(key as string), value))
        for (const location of locations) {
          for (const kind of fileKinds) {
            const key = toFreshnessKey(kind, location)
            const cells = store.get('freshness', key)
            const known = readFreshness(plain.get(key), kind, 0)
            expect(readFreshness(cells, kind, 0)).toEqual(known)
            const hasPointer = store.has('pointer', toFileKey(kind, location))
            expect(mayLeadOn(cells, kind)).toBe(hasPointer || known.state === 'never_crawled')
          }
        }
      }
      await store.close()
    }),
    { numRuns: 30 },
  )
})
