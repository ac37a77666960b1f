import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import { type GrantInForce, isGranted, judge } from '../../../pipeline/resolve/authority.ts'

const RUNS = 2_000
const NOW = Date.parse('2026-11-20T03:00:00.000Z')
const PUBLISHER = 'news.example'

const some = <Value>(...values: Value[]) => fc.option(fc.subarray(values), { freq: 2 })
const moment = fc.option(
  fc.constantFrom(-1, 0, 1).map(hours => toIso(NOW + hours * 3_600_000)),
  { freq: 2 },
)
/** So that much is granted, and not only refused for one of many reasons. */
const mostly = fc.constantFrom(true, true, true, false)
const grant = fc.record({
  entry: fc.constant(0),
  authorization_type: fc.constant('property_tags'),
  authorized_for: fc.constant(null),
  delegation_type: fc.option(fc.constantFrom('direct', 'delegated')),
  countries: some('GB', 'FR'),
  placement_ids: some('top', 'foot'),
  placement_tags: some('x'),
  collections: fc.option(fc.constant([{ publisher_domain: PUBLISHER, collection_ids: ['news'] }]), {
    freq: 2,
  }),
  effective_from: moment,
  effective_until: moment,
  reaches: mostly.map(reaches => () => reaches),
}) satisfies fc.Arbitrary<GrantInForce>
const publisher = fc.record({
  domain: fc.constant(PUBLISHER),
  is_known: mostly,
  placements: fc.constant([{ placement_id: 'top', tags: ['x'], property_tags: ['all'] }]),
  grants: fc.array(grant, { minLength: 1, maxLength: 3 }),
})
const property = mostly.map(is_active => ({
  property_rid: 'r',
  publisher_domain: PUBLISHER,
  property_id: null,
  is_active,
  tags: ['all'],
  identifiers: [{ type: 'domain', value: PUBLISHER }],
}))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const terms = fc.record({
  at: fc.constant(NOW),
  anywhere: fc.boolean(),
  country: maybe(fc.constantFrom('GB', 'DE')),
  delegation_type: maybe(fc.constantFrom('direct', 'ad_network')),
  placement_ids: maybe(fc.constant(['top'])),
  collection_ids: maybe(fc.constantFrom(['news'], ['sport'])),
})

test('the fast check of a grant equals the full judgement where nobody operates the agent', () => {
  const nobody = { operator: undefined, declared: undefined }
  const counts = { yes: 0, no: 0 }
  fc.assert(
    fc.property(property, publisher, terms, (one, granting, asked) => {
      const granted = isGranted(one, granting, asked)
      counts[granted ? 'yes' : 'no']++
      expect(granted).toBe(judge(one, granting, nobody, asked).authorized)
    }),
    { numRuns: RUNS },
  )
  expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(RUNS / 100)
})
