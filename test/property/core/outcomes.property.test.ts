import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  getEffect,
  isMissing,
  type Outcome,
  outcomeNames,
  outcomesByWeight,
  pickDecisive,
} from '../../../pipeline/core/outcomes.ts'

const outcome = fc.constantFrom(...outcomeNames)
const attempts = fc.array(outcome, { minLength: 1, maxLength: 8 })
const isSuccess = (name: Outcome) => getEffect(name) === 'success'
/** Tells whether an outcome is neither the thing nor a definite no. */
const isOpen = (name: Outcome) => ['garbled', 'unreachable'].includes(getEffect(name))
/** Tells whether an outcome says nothing, not even what an object store answers for a missing file. */
const isOpenly = (name: Outcome) => getEffect(name) === 'unreachable' && !isMissing(name)
const pick = ([first, ...others]: Outcome[]): Outcome =>
  pickDecisive({ outcome: first! }, ...others.map(name => ({ outcome: name }))).outcome

/** Inserts an attempt at any place among others. */
const insert = (all: Outcome[], place: number, name: Outcome) => all.toSpliced(place, 0, name)

describe('the outcome that stands for all attempts at one thing', () => {
  it('is defined for every outcome, those of one effect together', () => {
    expect([...outcomesByWeight].sort()).toEqual([...outcomeNames].sort())
    expect([...new Set(outcomesByWeight.map(getEffect))]).toEqual([
      'success',
      'unreachable',
      'garbled',
      'unusable',
      'absent',
    ])
  })

  it('is that of the one attempt, where there is one', () => {
    for (const name of outcomeNames) expect(pick([name])).toBe(name)
  })

  it('stays a success whatever failing attempt is added, and wherever', () => {
    fc.assert(
      fc.property(attempts, outcome, fc.nat(8), (all, added, place) => {
        fc.pre(all.some(isSuccess) && !isSuccess(added))
        expect(pick(insert(all, place, added))).toBe(pick(all))
        expect(isSuccess(pick(all))).toBe(true)
      }),
    )
  })

  it('is never absent where an inconclusive attempt is added', () => {
    fc.assert(
      fc.property(attempts, outcome.filter(isOpen), fc.nat(8), (all, added, place) => {
        const picked = pick(insert(all, place, added))
        expect(getEffect(picked)).not.toBe('absent')
        expect(['absent', 'unusable']).not.toContain(getEffect(picked))
      }),
    )
  })

  it('stales or ends something only if every attempt would', () => {
    fc.assert(
      fc.property(attempts, all => {
        expect(pick(all) === 'absent').toBe(all.every(name => name === 'absent'))
        if (['absent', 'unusable', 'garbled'].includes(getEffect(pick(all)))) {
          expect(all.some(name => isSuccess(name) || getEffect(name) === 'unreachable')).toBe(false)
        }
        if (isMissing(pick(all))) expect(all.some(isOpenly)).toBe(false)
      }),
    )
  })

  it('depends neither on the order of the attempts nor on how they are grouped', () => {
    fc.assert(
      fc.property(attempts, attempts, (some, others) => {
        expect(pick([...others, ...some])).toBe(pick([...some, ...others]))
        expect(pick([pick(some), ...others])).toBe(pick([...some, ...others]))
      }),
    )
  })

  it('is that of the first of several alike', () => {
    const first = { outcome: 'timeout' as const, at: 1 }
    expect(pickDecisive(first, { outcome: 'absent', at: 2 }, { outcome: 'timeout', at: 3 })).toBe(
      first,
    )
  })
})
