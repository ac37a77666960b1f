import { expect, test } from 'vitest'
import { buildCacheControl, cachePolicies } from '../../../api/responses/freshness.ts'
import { operations } from '../../../api/routes/index.ts'

test('lookups and lists are shared, and by default nothing is', () => {
  const policies = Object.keys(cachePolicies) as (keyof typeof cachePolicies)[]
  for (const policy of policies) expect(buildCacheControl(policy, 0)).toBe(cachePolicies[policy])
  const shared = policies.filter(policy => buildCacheControl(policy, 5) !== cachePolicies[policy])
  expect(shared).toEqual(['revalidate', 'list'])
  expect(buildCacheControl('revalidate', 5)).toBe(
    'public, max-age=0, s-maxage=5, stale-while-revalidate=5',
  )
})

test('every lookup that is shared says what it depends on', () => {
  const silent = operations.filter(
    ({ access, cache, dependsOn }) =>
      access === 'public' && cache === 'revalidate' && !dependsOn?.length,
  )
  expect(silent.map(({ id }) => id)).toEqual([])
})
