import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Change, diff, isSameValue } from '../../../pipeline/diff/diff.ts'

interface Fact {
  key: string
  tags: unknown
  name: unknown
  seq: number
}

const getKey = (row: Fact) => row.key
const facts = ['tags', 'name'] as const
const row = fc.record({
  key: fc.constantFrom(...'abcdefgh'),
  tags: fc.oneof(fc.array(fc.constantFrom('x', 'y')), fc.dictionary(fc.string(), fc.integer())),
  name: fc.constantFrom(null, 'Acme', 'Harbour'),
  seq: fc.nat(),
})
const table = fc.uniqueArray(row, { selector: getKey })

function applyChanges(
  before: readonly Fact[],
  changes: readonly Change<Fact>[],
): Map<string, Fact> {
  const rows = new Map(before.map(old => [old.key, old]))
  for (const change of changes) {
    if (change.kind === 'removed') rows.delete(change.old.key)
    else rows.set(change.row.key, change.row)
  }
  return rows
}

function hasSameRows(a: ReadonlyMap<string, Fact>, b: ReadonlyMap<string, Fact>): boolean {
  return a.size === b.size && [...a].every(([key, was]) => hasSameFacts(was, b.get(key)))
}

function hasSameFacts(a: Fact, b: Fact | undefined): boolean {
  return b !== undefined && facts.every(name => isSameValue(a[name], b[name]))
}

describe('the difference of two tables', () => {
  it('applied to the first gives the second', () => {
    fc.assert(
      fc.property(table, table, (before, after) => {
        const changes = diff(before, after, getKey, facts)
        return hasSameRows(applyChanges(before, changes), applyChanges(after, []))
      }),
    )
  })

  it('of a table and itself is empty, also with its rows reordered and copied', () => {
    fc.assert(
      fc.property(table, rows => {
        const copy = rows.map(row => ({ ...structuredClone(row), seq: row.seq + 1 })).reverse()
        return diff(rows, copy, getKey, facts).length === 0
      }),
    )
  })

  it('names each key once, and the fields that differ', () => {
    fc.assert(
      fc.property(table, table, (before, after) => {
        const changes = diff(before, after, getKey, facts)
        const keys = changes.map(change =>
          getKey(change.kind === 'removed' ? change.old : change.row),
        )
        return new Set(keys).size === keys.length && changes.every(hasEvent)
      }),
    )
  })
})

function hasEvent(change: Change<Fact>): boolean {
  if (change.kind !== 'changed') return true
  const differing = facts.filter(name => !isSameValue(change.old[name], change.row[name]))
  return differing.length > 0 && isSameValue(differing, change.fields)
}

describe('two values are the same', () => {
  it('exactly when their JSON is, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        return (
          isSameValue(a, b) === (toCanonicalJson(a) === toCanonicalJson(b)) &&
          isSameValue(a, invertKeys(a))
        )
      }),
    )
  })
})

function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => (isObject(item) ? sortKeys(item) : item))
}

function sortKeys(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function invertKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(invertKeys)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, invertKeys(member)])
  return Object.fromEntries(entries.reverse())
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
