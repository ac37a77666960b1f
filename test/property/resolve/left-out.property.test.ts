import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leftOutLists } from '../../../pipeline/model/documents/index.ts'
import {
  type GrantInForce,
  judge,
  type PublisherSide,
} from '../../../pipeline/resolve/authority.ts'
import type { Terms } from '../../../pipeline/resolve/sale-terms.ts'

const property = {
  property_rid: 'r1',
  publisher_domain: 'acme.example',
  property_id: 'p1',
  tags: ['news'],
  identifiers: [{ type: 'domain', value: 'acme.example' }],
}
const noOperator = { operator: undefined, declared: undefined }
const NOW = Date.parse('2026-11-20T03:00:00Z')

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })
const anyGrant: fc.Arbitrary<GrantInForce> = fc.record({
  entry: fc.nat(9),
  authorization_type: fc.constant('property_ids'),
  authorized_for: fc.constant(null),
  delegation_type: optional(fc.constantFrom('direct', 'delegated')),
  countries: optional(fc.subarray(['DE', 'FR'])),
  placement_ids: optional(fc.subarray(['top', 'side'])),
  placement_tags: fc.constant(null),
  collections: fc.constant(null),
  effective_from: optional(fc.constantFrom('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')),
  effective_until: fc.constant(null),
  reaches: fc.boolean().map(reaches => () => reaches),
}) as never
const anyTerms = fc.record(
  {
    at: fc.constant(NOW),
    country: fc.constantFrom('DE', 'US'),
    placement_ids: fc.subarray(['top', 'unknown'], { minLength: 1 }),
    delegation_type: fc.constantFrom('direct', 'delegated'),
  },
  { requiredKeys: ['at'] },
) as unknown as fc.Arbitrary<Terms>
const anyPublisher = fc.record({
  domain: fc.constant('acme.example'),
  is_known: fc.constant(true),
  placements: fc.constant([{ placement_id: 'top', tags: [] }]),
  grants: fc.array(anyGrant, { maxLength: 3 }),
}) as unknown as fc.Arbitrary<PublisherSide>

test('an agent of a file whose agents were left out in part is never refused by it, on any terms', () => {
  fc.assert(
    fc.property(anyPublisher, anyTerms, fc.boolean(), (publisher, terms, is_active) => {
      const left_out = [...leftOutLists]
      const partial = judge(
        { ...property, is_active },
        { ...publisher, left_out },
        noOperator,
        terms,
      )
      const whole = judge({ ...property, is_active }, publisher, noOperator, terms)
      expect(partial.sides.publisher).not.toBe('mismatch')
      // Nothing is granted, or taken away, by what was not read.
      expect(partial.authorized).toBe(whole.authorized)
      if (whole.sides.publisher !== 'mismatch') expect(partial.sides).toEqual(whole.sides)
      else expect(partial.judged.publisher.map(({ rule }) => rule)).toContain('left_out_too_broad')
    }),
  )
})
