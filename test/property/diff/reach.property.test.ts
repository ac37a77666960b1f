import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffReach, type FacetCount, type Reachable } from '../../../pipeline/diff/reach.ts'
import type { AuthorizationRow, PropertyRow } from '../../../pipeline/model/rows.ts'

const nothing: Reachable = { properties: [], authorizations: [] }
const some = (...values: string[]) => fc.subarray(values)

const property = fc.record({
  property_rid: fc.constantFrom('p1', 'p2', 'p3', 'p4'),
  property_type: fc.constantFrom('website', 'ctv_app'),
  channels: some('display', 'ctv'),
  tags: some('news', 'sport'),
  status: fc.constantFrom('active', 'stale'),
}) as fc.Arbitrary<PropertyRow>
const grant = fc.record({
  agent_url: fc.constantFrom('https://a.example', 'https://b.example'),
  property_rids: some('p1', 'p2', 'p3', 'p5'),
  countries: fc.option(some('DE', 'FR')),
  in_force: fc.boolean(),
}) as unknown as fc.Arbitrary<AuthorizationRow>
const rows: fc.Arbitrary<Reachable> = fc.record({
  properties: fc.uniqueArray(property, { selector: row => row.property_rid }),
  authorizations: fc.array(grant, { maxLength: 5 }),
})

function sumDeltas(...deltas: FacetCount[][]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { agent_url, facet, value, times } of deltas.flat()) {
    const key = `${agent_url} ${facet} ${value}`
    sums[key] = (sums[key] ?? 0) + times
    if (sums[key] === 0) delete sums[key]
  }
  return sums
}

describe('the reach of agents', () => {
  it('is the same counted change by change or all at once', () => {
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1, maxLength: 5 }), states => {
        const steps = states.map((state, i) => diffReach(states[i - 1] ?? nothing, state))
        expect(sumDeltas(...steps)).toEqual(sumDeltas(diffReach(nothing, states.at(-1)!)))
      }),
    )
  })

  it('counts a property once, however many grants name it', () => {
    const properties = [
      { property_rid: 'p1', property_type: 'website', channels: [], tags: [], status: 'active' },
    ]
    const authorizations = [1, 2].map(() => ({
      agent_url: 'https://a.example',
      property_rids: ['p1'],
      countries: null,
      in_force: true,
    }))
    const delta = diffReach(nothing, { properties, authorizations } as unknown as Reachable)
    expect(delta.find(({ facet }) => facet === 'property')?.times).toBe(1)
    expect(delta.find(({ facet }) => facet === 'publisher')?.times).toBe(1)
  })

  it('excludes grants that are not in force', () => {
    fc.assert(
      fc.property(rows, ({ properties, authorizations }) => {
        const closed = authorizations.map(row => ({ ...row, in_force: false }))
        expect(diffReach(nothing, { properties, authorizations: closed })).toEqual([])
      }),
    )
  })
})
