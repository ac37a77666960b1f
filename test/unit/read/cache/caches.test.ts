import { expect, test } from 'vitest'
import { Caches, declareCache } from '../../../../pipeline/read/cache/caches.ts'
import { LatestValue } from '../../../../pipeline/read/cache/latest-value.ts'

test('each owner has its own cache of those that are declared', () => {
  const names = declareCache(() => new Map<string, string>())
  const domains = declareCache(() => new Map<string, string>())
  const first = { caches: new Caches() }
  const second = { caches: new Caches() }
  names(first).set('a', 'one')
  expect(names(first).get('a')).toBe('one')
  expect(names(second).size).toBe(0)
  expect(domains(first).size).toBe(0)
})

test('a value is made again when one of its sources is another', () => {
  const latest = new LatestValue<number>()
  let times = 0
  const make = () => ++times
  const source = {}
  expect(latest.get([source, 1], make)).toBe(1)
  expect(latest.get([source, 1], make)).toBe(1)
  expect(latest.get([source, 2], make)).toBe(2)
  expect(latest.get([{}, 2], make)).toBe(3)
})

test('a value that could not be made leaves the one before', () => {
  const latest = new LatestValue<number>()
  expect(latest.get([1], () => 1)).toBe(1)
  const fail = () => {
    throw new Error('not read')
  }
  expect(() => latest.get([2], fail)).toThrow('not read')
  expect(latest.get([1], fail)).toBe(1)
})
