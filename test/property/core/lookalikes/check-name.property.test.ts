import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import unhomoglyph from 'unhomoglyph'
import { expect, test } from 'vitest'
import type { Instant } from '../../../../pipeline/core/clock.ts'
import { type Domain, getRegistrableDomain, toAscii } from '../../../../pipeline/core/domain.ts'
import { checkName } from '../../../../pipeline/core/lookalikes/check-name.ts'
import { toSkeleton, toUnicode } from '../../../../pipeline/core/lookalikes/confusables.ts'
import {
  buildProtectedNames,
  getSiteLabel,
  noProtectedNames,
} from '../../../../pipeline/core/lookalikes/protected-names.ts'
import { Database } from '../../../../pipeline/store/database.ts'
import { declareIndex } from '../../../../pipeline/store/index-tables.ts'
import { findNameFaults } from '../../../../pipeline/writer/community/lookalike-lookup.ts'

/** Host names from few letters, so that they often look alike. */
const plainLabel = fc
  .stringMatching(/^[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?$/)
  .filter(text => !text.startsWith('xn--'))
const alikeLabel = fc.stringMatching(/^[mnrol01ie]{1,6}$/)
const label = fc.oneof(plainLabel, alikeLabel)
const plain = label.map(text => `${text}.com`)
const foreign = fc
  .string({ unit: fc.constantFrom(...'аеорсухіјѕмнтвкαορνüéæıolrnm'), minLength: 1, maxLength: 6 })
  .map(text => toAscii(`${text}.com`))
  .filter(domain => domain !== '')
const name = fc.oneof(plain, foreign)

const judge = (domain: string, ...registered: string[]) =>
  checkName(domain, { registered, protectedNames: noProtectedNames })

test('a name is not confusable with itself', () => {
  fc.assert(
    fc.property(name, domain => {
      expect(judge(domain, domain)).toEqual(judge(domain))
      const guarded = checkName(domain, {
        registered: [],
        protectedNames: buildProtectedNames([domain]),
      })
      expect(guarded).toEqual(judge(domain))
    }),
  )
})

test('confusability of two names is symmetric', () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      const isAlike = a !== b && toSkeleton(a) === toSkeleton(b)
      const [one, other] = [judge(a, b), judge(b, a)]
      if (judge(a).verdict === 'ok') expect(one.verdict === 'ok').toBe(!isAlike)
      if (judge(b).verdict === 'ok') expect(other.verdict === 'ok').toBe(!isAlike)
    }),
    { numRuns: 2_000 },
  )
})

test('a plain name passes among unlike names', () => {
  fc.assert(
    fc.property(plain, fc.array(name), (domain, others) => {
      const registered = others.filter(other => toSkeleton(other) !== toSkeleton(domain))
      expect(judge(domain, ...registered)).toEqual({ verdict: 'ok' })
    }),
  )
})

test('a registered name with any letter replaced by a Cyrillic look-alike is refused', () => {
  const twins: Record<string, string> = { a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х', y: 'у' }
  const known = fc.stringMatching(/^[aceopxy]{2,8}$/)
  fc.assert(
    fc.property(known, fc.infiniteStream(fc.boolean()), (text, coins) => {
      const letters = [...text].map(letter => (coins.next().value ? twins[letter]! : letter))
      fc.pre(letters.join('') !== text)
      expect(judge(toAscii(`${letters.join('')}.com`), `${text}.com`).verdict).toBe('reject')
    }),
  )
})

test('the skeleton of a plain name is that of Unicode', () => {
  fc.assert(
    fc.property(plain, domain => {
      expect(toSkeleton(domain)).toBe(unhomoglyph(domain).toLowerCase())
    }),
  )
})

/** Tells whether a registered name looks like a new one or its site, or begins with a label that looks like its label. */
function isAlike(domain: string, other: string): boolean {
  const site = getRegistrableDomain(domain) ?? domain
  const skeleton = toSkeleton(other)
  return (
    [domain, site].map(toSkeleton).includes(skeleton) ||
    skeleton.split('.')[0] === toSkeleton(getSiteLabel(site))
  )
}

function buildEntry(domain: string, revision_number: number) {
  const now = new Date(0).toISOString()
  const state = { source: 'community', status: 'live', document: {}, revision_number }
  const times = { created_at: now, updated_at: now, seq: 1 }
  return { entity: 'brand', domain, entry_id: randomUUID(), ...state, ...times }
}

test('objections to a new name are the same whether all registered names are compared or those that the index finds', async () => {
  const index = await Database.open(':memory:')
  declareIndex(index.sqlite)
  const below = fc.tuple(label, fc.constantFrom('com', 'corn', 'c0m', 'example', 'rnoon.example'))
  const some = fc.oneof(
    name,
    below.map(([first, rest]) => `${first}.${rest}`),
  ) as fc.Arbitrary<Domain>
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(some, { maxLength: 40 }), some, async (registered, domain) => {
      index.sqlite.exec('delete from entries')
      index.sqlite.insert('entries', registered.map(buildEntry))
      const rules = { protectedNames: noProtectedNames, protectedReach: 0, now: 0 as Instant }
      const faults = await findNameFaults(index, [domain], rules)
      const expected = judge(domain, ...registered.filter(other => isAlike(domain, other)))
      expect(faults.get(domain)?.verdict ?? 'ok').toBe(expected.verdict)
    }),
    { numRuns: 300 },
  )
  index.close()
})

test('a name is the same in Unicode and in A-labels', () => {
  fc.assert(
    fc.property(foreign, domain => {
      expect(toAscii(toUnicode(domain))).toBe(domain)
      expect(toSkeleton(toUnicode(domain))).toBe(toSkeleton(domain))
    }),
  )
})
