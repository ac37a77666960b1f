import fc from 'fast-check'
import unhomoglyph from 'unhomoglyph'
import { expect, test } from 'vitest'
import { toAscii } from '../../../../pipeline/core/domain.ts'
import { checkName } from '../../../../pipeline/core/lookalikes/check-name.ts'
import { toSkeleton, toUnicode } from '../../../../pipeline/core/lookalikes/confusables.ts'
import {
  buildProtectedNames,
  noProtectedNames,
} from '../../../../pipeline/core/lookalikes/protected-names.ts'
import { Database } from '../../../../pipeline/store/columnar/duckdb.ts'
import { ASCII_SKELETON } from '../../../../pipeline/writer/community/lookalike-lookup.ts'

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

test('the skeleton of a plain name is the same in Unicode and in SQL', async () => {
  const index = await Database.open(':memory:')
  await fc.assert(
    fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 20 }), async domains => {
      const rows = await index.all<{ domain: string; look: string }>(
        `select domain, ${ASCII_SKELETON} as look
         from (select unnest(from_json($domains::json, '["VARCHAR"]')) as domain)`,
        { domains: JSON.stringify(domains) },
      )
      for (const { domain, look } of rows) {
        expect(look).toBe(toSkeleton(domain))
        expect(look).toBe(unhomoglyph(domain).toLowerCase())
      }
    }),
    { numRuns: 50 },
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
