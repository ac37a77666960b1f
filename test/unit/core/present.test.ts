import { describe, expect, test } from 'vitest'
import {
  getAt,
  getFirst,
  getLast,
  getOrThrow,
  removeOldest,
  requireValue,
} from '../../../pipeline/core/present.ts'

describe('what must be there', () => {
  test('is returned, also where it is empty, zero or false', () => {
    expect([requireValue('', 'name'), requireValue(0, 'count')]).toEqual(['', 0])
    expect(getOrThrow(new Map([['a', false]]), 'a')).toBe(false)
    expect([getFirst([1, 2]), getLast([1, 2]), getAt('abc', 1)]).toEqual([1, 2, 'b'])
  })

  test.each([
    ['there is no name', () => requireValue(undefined, 'name')],
    ['there is no name', () => requireValue(null, 'name')],
    ['there is no value of b', () => getOrThrow(new Map([['a', 1]]), 'b')],
    ['there is no item 0 among 0', () => getFirst([])],
    ['there is no item -1 among 0', () => getLast([])],
    ['there is no item 2 among 2', () => getAt([1, 2], 2)],
  ])('is missed with an error: %s', (message, read) => {
    expect(read).toThrow(message)
  })
})

test('the oldest entry of a map is removed, and none of an empty one', () => {
  const map = new Map([
    ['b', 1],
    ['a', 2],
  ])
  removeOldest(map)
  expect([...map.keys()]).toEqual(['a'])
  removeOldest(map)
  removeOldest(map)
  expect(map.size).toBe(0)
})
