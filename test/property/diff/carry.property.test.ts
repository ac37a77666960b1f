import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DAY, HOUR, type Instant } from '../../../pipeline/core/clock.ts'
import { carryOver } from '../../../pipeline/diff/carry.ts'
import { isSameValue } from '../../../pipeline/diff/diff.ts'
import type { AdagentsDocument } from '../../../pipeline/model/documents/index.ts'
import { Revocations } from '../../../pipeline/resolve/revocation.ts'
import { observePublisherFile } from '../../support/fixtures/documents.ts'

const domains = ['a.example', 'b.example', 'c.example']
const start = Date.parse('2026-11-20T03:00Z')

/** A document of one source, and how many hours after the one before it was read. */
interface Reading {
  hours: number
  isPointer: boolean
  revoked: { publisher_domain: string; revoked_at: string }[]
}

const reading: fc.Arbitrary<Reading> = fc.record({
  hours: fc.integer({ min: 1, max: 6 * 24 }),
  isPointer: fc.boolean(),
  revoked: fc.uniqueArray(
    fc.record({
      publisher_domain: fc.constantFrom(...domains),
      revoked_at: fc.constantFrom('1970-01-01T00:00:00Z', '2026-11-01T00:00:00Z'),
    }),
    { selector: revocation => revocation.publisher_domain },
  ),
})
const readings = fc.array(reading, { minLength: 1, maxLength: 12 })

const inline = observePublisherFile('m.example', { sites: [], agents: [] })
  .document as AdagentsDocument

function buildDocument({ isPointer, revoked }: Reading): AdagentsDocument {
  return isPointer
    ? { variant: 'pointer', authoritative_location: 'https://m.example/adagents.json' }
    : ({ ...inline, revoked_publisher_domains: revoked } as AdagentsDocument)
}

function listTimes(all: readonly Reading[]): Instant[] {
  let at = start
  return all.map(({ hours }) => (at += hours * HOUR))
}

/** Carries over all readings, each delivered `times` times, and returns the last document. */
function listCarried(all: readonly Reading[], times = 1): AdagentsDocument {
  const at = listTimes(all)
  let carried: AdagentsDocument | undefined
  for (const [i, one] of all.entries()) {
    for (let n = 0; n < times; n++)
      carried = carryOver(carried, buildDocument(one), at[i]!) as AdagentsDocument
  }
  return carried!
}

/**
 * Decides from all readings whether a domain is held: while the last file lists it, and for a week from
 * when it was first listed.
 */
function isHeld(domain: string, all: readonly Reading[], now: Instant): boolean {
  let since: Instant | undefined
  let wasListed = false
  for (const [i, at] of listTimes(all).entries()) {
    const isListed =
      !all[i]!.isPointer &&
      all[i]!.revoked.some(revocation => revocation.publisher_domain === domain)
    const isOver = since !== undefined && at >= since + 7 * DAY
    if (isOver && !(wasListed && isListed)) since = undefined
    if (isListed) since ??= at
    wasListed = isListed
  }
  return wasListed || (since !== undefined && now < since + 7 * DAY)
}

describe('the remembered revocations of a file', () => {
  it('do not change when each document is delivered again', () => {
    fc.assert(fc.property(readings, all => isSameValue(listCarried(all, 2), listCarried(all))))
  })

  it('hold exactly while listed, and for a week from when each was first seen', () => {
    fc.assert(
      fc.property(readings, fc.integer({ min: 0, max: 9 * 24 }), (all, hours) => {
        const now = listTimes(all).at(-1)! + hours * HOUR
        const revocations = new Revocations(listCarried(all), now)
        return domains.every(domain => revocations.has(domain) === isHeld(domain, all, now))
      }),
    )
  })

  it('change by themselves only at the announced time', () => {
    fc.assert(
      fc.property(readings, all => {
        const carried = listCarried(all)
        const now = listTimes(all).at(-1)!
        return domains.every(domain => {
          const before = new Revocations(carried, now)
          if (!before.has(domain)) return before.changeTimes.length === 0
          const [turn] = before.changeTimes
          if (turn === undefined) return new Revocations(carried, now + 1_000 * DAY).has(domain)
          return (
            new Revocations(carried, turn - 1).has(domain) &&
            !new Revocations(carried, turn).has(domain)
          )
        })
      }),
    )
  })

  it('leave the rest of the document alone', () => {
    fc.assert(
      fc.property(readings, all => {
        const { remembered_revocations: _, ...rest } = listCarried(all)
        const { before: __, ...document } = { before: undefined, ...rest }
        return isSameValue(document, buildDocument(all.at(-1)!))
      }),
    )
  })

  it('are its first ten thousand: a flood of others displaces none', () => {
    const listing = (prefix: string) =>
      Array.from({ length: 8_000 }, (_, i) => ({
        publisher_domain: `${prefix}${i}.example`,
        revoked_at: '2026-11-01T00:00:00Z',
      }))
    const all = [domains, ['x'], ['y']].map(
      (names, i): Reading => ({
        hours: 1,
        isPointer: false,
        revoked:
          i === 0
            ? [{ publisher_domain: names[0]!, revoked_at: '2026-11-01T00:00:00Z' }]
            : listing(names[0]!),
      }),
    )
    const carried = listCarried(all)
    const isRevoked = new Revocations(carried, listTimes(all).at(-1)!).has(domains[0]!)
    if (!isRevoked || carried.remembered_revocations!.length !== 10_000)
      throw new Error('it was forgotten')
  })
})
