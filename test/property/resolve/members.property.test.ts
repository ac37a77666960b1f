import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasMetric } from '../../../pipeline/resolve/agent-filter.ts'
import {
  type CallerRights,
  listVisibilities,
  type Scope,
  scopes,
} from '../../../pipeline/resolve/visibility.ts'

const asker = fc.record({ isOwner: fc.boolean(), hasApiAccess: fc.boolean() })
const scope = fc.constantFrom<Scope>(...scopes)

describe('visibility of a member’s agents', () => {
  test('a scope narrows what is visible and never widens it', () => {
    const narrows = (who: CallerRights, asked: Scope) => {
      const all = listVisibilities(who, 'all')
      for (const visibility of listVisibilities(who, asked)) expect(all).toContain(visibility)
    }
    fc.assert(fc.property(asker, scope, narrows))
  })

  test('private agents are visible to their owner, those for members need one of two rights', () => {
    const keeps = (who: CallerRights, asked: Scope) => {
      const visibilities = listVisibilities(who, asked)
      if (visibilities.has('private')) expect(who.isOwner).toBe(true)
      if (visibilities.has('members_only')) expect(who.isOwner || who.hasApiAccess).toBe(true)
    }
    fc.assert(fc.property(asker, scope, keeps))
  })
})

const word = fc.constantFrom('a', 'b', 'Ab', 'c')
const words = fc.array(word, { maxLength: 3 })
const metric = fc.record({ metric_id: word, bodies: words }).map(({ metric_id, bodies }) => ({
  metric_id,
  accreditations: bodies.map(accrediting_body => ({
    accrediting_body,
    verified_by_aao: false as const,
  })),
}))
const wanted = fc.record({
  metric_ids: words,
  accreditations: words,
  q: fc.option(word, { nil: undefined }),
})

describe('filters on metrics', () => {
  test('an agent matches exactly when one of its metrics alone would', () => {
    fc.assert(
      fc.property(fc.array(metric, { maxLength: 4 }), wanted, (metrics, asked) => {
        expect(hasMetric(metrics, asked)).toBe(metrics.some(metric => hasMetric([metric], asked)))
      }),
    )
  })

  test('a further metric_id to choose from never removes an agent', () => {
    fc.assert(
      fc.property(fc.array(metric, { maxLength: 4 }), wanted, word, (metrics, asked, more) => {
        fc.pre(asked.metric_ids.length > 0 && hasMetric(metrics, asked))
        const wider = { ...asked, metric_ids: [...asked.metric_ids, more] }
        expect(hasMetric(metrics, wider)).toBe(true)
      }),
    )
  })
})
