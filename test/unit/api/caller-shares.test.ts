import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallerShares } from '../../../api/limits/caller-shares.ts'

describe('what callers keep in a store of limited size', () => {
  test('one caller who fills it displaces only what is its own', () => {
    const shares = new CallerShares<string>(10)
    expect(shares.add('ann', 'draft of ann')).toEqual([])
    for (let i = 0; i < 9; i++) expect(shares.add('mallory', `${i}`)).toEqual([])
    for (let i = 9; i < 100; i++) expect(shares.add('mallory', `${i}`)).toEqual([`${i - 9}`])
    expect(shares.has('draft of ann')).toBe(true)
  })

  test('a new caller gets room from the one with most', () => {
    const shares = new CallerShares<string>(10)
    for (let i = 0; i < 10; i++) shares.add('mallory', `${i}`)
    expect(shares.add('ann', 'draft', 3)).toEqual(['0', '1', '2'])
    expect([shares.countItems('mallory'), shares.countItems('ann')]).toEqual([7, 1])
  })

  test('what is larger than the store is not stored, and displaces nothing', () => {
    const shares = new CallerShares<string>(10)
    shares.add('ann', 'draft', 10)
    expect(shares.add('mallory', 'flood', 11)).toEqual(['flood'])
    expect([...shares.items()]).toEqual(['draft'])
  })

  const additions = fc.array(fc.tuple(fc.nat(4), fc.nat(20), fc.integer({ min: 1, max: 12 })), {
    maxLength: 80,
  })
  test('it is never larger than its limit, and nobody with less than an equal share loses anything', () => {
    fc.assert(
      fc.property(additions, added => {
        const MAX = 30
        const shares = new CallerShares<number>(MAX)
        const stored = new Map<number, { caller: number; size: number }>()
        const sum = (caller?: number) =>
          [...stored.values()]
            .filter(item => caller === undefined || item.caller === caller)
            .reduce((total, { size }) => total + size, 0)
        for (const [caller, item, size] of added) {
          stored.set(item, { caller, size })
          const callers = new Set([...stored.values()].map(item => item.caller)).size
          for (const gone of shares.add(`${caller}`, item, size)) {
            // The caller who adds may be the one with least, and gets room however large the item is.
            const { caller: loser } = stored.get(gone)!
            const others = [...stored.values()].filter(other => other.caller !== caller)
            const isLargest = others.every(other => sum(other.caller) <= sum(loser))
            expect(isLargest || loser === caller).toBe(true)
            if (loser === caller) expect(sum(caller)).toBeGreaterThanOrEqual(MAX / callers)
            stored.delete(gone)
          }
          expect(sum()).toBeLessThanOrEqual(MAX)
          expect(new Set(shares.items())).toEqual(new Set(stored.keys()))
        }
      }),
    )
  })
})
