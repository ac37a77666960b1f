import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAgentUrlKey } from '../../../pipeline/core/agent-url.ts'
import { parseDomain } from '../../../pipeline/core/domain.ts'
import { RisingIds, toInstant } from '../../../pipeline/core/uuid-v7.ts'
import { assignRids } from '../../../pipeline/diff/property-identity.ts'
import type { Identifier, PropertyEntry } from '../../../pipeline/model/documents/index.ts'
import type { PropertyRow } from '../../../pipeline/model/rows.ts'
import { toIdentifierKey } from '../../../pipeline/resolve/identifiers.ts'
import { testClock } from '../../support/worlds/clock.ts'

const identifier: fc.Arbitrary<Identifier> = fc.record({
  type: fc.constantFrom('domain', 'ios_bundle'),
  value: fc.constantFrom('a.example', 'www.a.example', 'B.example', 'c.example', 'd.example'),
})
const someEntry = drawEntry(fc.array(identifier, { minLength: 1, maxLength: 3 }))
const entries = fc.array(someEntry, { maxLength: 8 })

function drawEntry(identifiers: fc.Arbitrary<Identifier[]>): fc.Arbitrary<PropertyEntry> {
  const slug = fc.record({ property_id: fc.constantFrom('home', 'app', 'news') })
  const facts = fc.record({
    property_type: fc.constantFrom('website', 'mobile_app'),
    name: fc.constantFrom('Acme', 'Harbour'),
    identifiers,
  })
  return fc
    .tuple(facts, fc.option(slug))
    .map(([most, more]) => ({ ...most, ...more, tags: [], supported_channels: [] }))
}

function createMinter(prefix = 'rid') {
  let next = 0
  return () => `${prefix}-${++next}`
}

const none = (): string => {
  throw new Error('a new identity')
}

function buildRows(list: readonly PropertyEntry[], rids: readonly string[]): PropertyRow[] {
  const rows = new Map(
    list.map((entry, i) => [
      rids[i]!,
      { ...entry, property_rid: rids[i]!, property_id: entry.property_id ?? null } as PropertyRow,
    ]),
  )
  return [...rows.values()]
}

/** Lists the rid that each listed property is assigned, in no order. */
function listAssigned(known: readonly PropertyRow[], list: readonly PropertyEntry[]): string[] {
  const rids = assignRids(known, list, () => 'new')
  return [...new Set(list.map((entry, i) => `${toIdentityKey(entry)} ${rids[i]}`))].sort()
}

/** Formats what makes two entries of one file the same property. */
function toIdentityKey({ property_type, property_id, identifiers }: PropertyEntry): string {
  return JSON.stringify([
    property_type,
    property_id,
    [...new Set(identifiers.map(toIdentifierKey))].sort(),
  ])
}

describe('the identity of a property', () => {
  it('is shared by two entries exactly when they are equal', () => {
    fc.assert(
      fc.property(entries, entries, (known, list) => {
        const rids = assignRids(
          buildRows(known, assignRids([], known, createMinter())),
          list,
          createMinter('new'),
        )
        const pairs = new Set(list.map((entry, i) => `${toIdentityKey(entry)} ${rids[i]}`))
        return (
          pairs.size === new Set(rids).size && pairs.size === new Set(list.map(toIdentityKey)).size
        )
      }),
    )
  })

  it('is kept when the same file is read again', () => {
    fc.assert(
      fc.property(entries, list => {
        const first = assignRids([], list, createMinter())
        expect(assignRids(buildRows(list, first), list, none)).toEqual(first)
      }),
    )
  })

  it('does not depend on the order of the entries, nor of the known properties', () => {
    fc.assert(
      fc.property(entries, entries, fc.infiniteStream(fc.nat()), (before, after, random) => {
        const shuffled = <Item>(list: readonly Item[]) =>
          list
            .map(item => ({ item, turn: random.next().value as number }))
            .sort((a, b) => a.turn - b.turn)
            .map(({ item }) => item)
        const known = buildRows(before, assignRids([], before, createMinter()))
        const assigned = listAssigned(known, after)
        for (let turn = 0; turn < 3; turn++) {
          expect(listAssigned(shuffled(known), shuffled(after))).toEqual(assigned)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('does not pass to another property while its own is listed unchanged', () => {
    fc.assert(
      fc.property(entries, entries, (before, more) => {
        const first = assignRids([], before, createMinter())
        const rids = assignRids(buildRows(before, first), [...more, ...before], createMinter('new'))
        expect(rids.slice(more.length)).toEqual(first)
      }),
    )
  })
})

describe('an event id', () => {
  const jump = fc.integer({ min: -100_000_000, max: 100_000 })
  const steps = fc.array(fc.oneof(fc.constant(0), fc.constant(1), jump), { maxLength: 200 })

  /** Makes ids while the clock takes the steps. */
  function minted(from: number, path: readonly number[], last?: string): string[] {
    const clock = testClock(from)
    const ids = new RisingIds(clock, last)
    return path.map(step => {
      clock.tick(Math.max(step, -clock.now()))
      return ids.next()
    })
  }

  it('is higher than every earlier one, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 }), steps, (from, path) => {
        const ids = minted(from * 1_000, path)
        expect([...new Set(ids)].sort()).toEqual(ids)
      }),
    )
  })

  it('is higher than the last one of the previous process, even if that one was ahead of time', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 31 }), steps, steps, (from, first, second) => {
        const ids = minted(from * 1_000, [...first, 0])
        const more = minted(from * 500, [...second, 0], ids.at(-1))
        expect([...new Set([...ids, ...more])].sort()).toEqual([...ids, ...more])
      }),
    )
  })

  it('encodes its time while the clock rises', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1 }), path => {
        const now = path.reduce((sum, step) => sum + step, 1e12)
        expect(toInstant(minted(1e12, path).at(-1)!)).toBe(now)
      }),
    )
  })
})

describe('a stored name', () => {
  const url = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom('HTTPS://A.Example:443//mcp//', 'http://a.example:80', 'https://ü.example/%7e'),
    fc.webPath().map(path => `https://a.example/%2f%c3%a9${path}//`),
  )

  it('is the key of the agent with that address', () => {
    fc.assert(
      fc.property(url, address => {
        const key = toAgentUrlKey(address)
        expect(toAgentUrlKey(key)).toBe(key)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is the domain with that name', () => {
    const name = fc.oneof(fc.domain(), fc.string(), fc.constantFrom('Ü.Example', ' a.example '))
    fc.assert(
      fc.property(name, text => {
        const domain = parseDomain(text)
        expect(domain === undefined ? undefined : parseDomain(domain)).toBe(domain)
      }),
      { numRuns: 1_000 },
    )
  })
})
