import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSource } from '../../../pipeline/model/observation.ts'
import { brandDomains, brandFiles } from '../../support/worlds/arbitrary-brands.ts'
import { NOW, resolveOnWeb, type Web } from '../../support/worlds/brand-resolution.ts'
import {
  type BrandFiles,
  type ExpectedBrand,
  expectBrand,
} from '../../support/worlds/expected-brand.ts'

/** Resolves a domain on these files by the rules of the registry. */
function findBrand(files: BrandFiles, domain: string): ExpectedBrand | null {
  const web = Object.entries(files).map(([address, file]) => [
    parseSource('brand.json', address)!.location,
    file,
  ])
  const { answer } = resolveOnWeb(Object.fromEntries(web) as Web, domain)
  if (answer === undefined || answer === 'pending') return null
  const { mentions: _, names: __, manifest: ___, resolved_location: ____, ...shown } = answer
  const { relationship_declared_at: _____, parent_brand: ______, ...facts } = shown
  // A role that nobody says is filled in by every answer; the rules know only what files say.
  return { keller_type: 'master', ...facts, canonical_id: facts.canonical_domain }
}

describe('for any files of houses and brands that refer to one another', () => {
  it('the registry resolves each domain as the rules of brand.json say', () => {
    const met = new Map<string, number>()
    fc.assert(
      fc.property(brandFiles, files => {
        for (const domain of brandDomains) {
          const expected = expectBrand(files, domain, NOW)
          expect(findBrand(files, domain), domain).toEqual(expected)
          const kind = expected?.relationship_trust ?? 'none'
          met.set(kind, (met.get(kind) ?? 0) + 1)
        }
      }),
      { seed: 20261120, numRuns: 4_000 },
    )
    for (const kind of ['none', 'inline', 'mutual', 'leaf_only', 'standalone', 'unverifiable']) {
      expect(met.get(kind), kind).toBeGreaterThan(100)
    }
  })
})
