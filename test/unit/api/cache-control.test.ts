import { expect, test } from 'vitest'
import { buildCacheControl, cachePolicies } from '../../../api/responses/freshness.ts'

test('only what would be revalidated is shared, and by default nothing is', () => {
  const policies = Object.keys(cachePolicies) as (keyof typeof cachePolicies)[]
  for (const policy of policies) expect(buildCacheControl(policy, 0)).toBe(cachePolicies[policy])
  const shared = policies.filter(policy => buildCacheControl(policy, 5) !== cachePolicies[policy])
  expect(shared).toEqual(['revalidate'])
  expect(buildCacheControl('revalidate', 5)).toBe(
    'public, max-age=0, s-maxage=5, stale-while-revalidate=5',
  )
})
