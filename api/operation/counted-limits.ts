import type { Limits } from '../../pipeline/core/limits.ts'
import { saveLimits } from '../limits/save-quota.ts'
import type { Operation } from './operation.ts'

/** Limits that no number of remaining requests goes with. */
const unreported: readonly (keyof Limits)[] = [
  'agentRunSeconds',
  'crawlRequestDomainSeconds',
  'largeBodiesPerCaller',
]

/** Tells whether an operation reports in `RateLimit` headers how many requests are left. */
export function hasLimitHeaders(operation: Operation): boolean {
  return listCountedLimits(operation).some(name => !unreported.includes(name))
}

/** Lists the limits of requests that an operation counts towards. */
export function listCountedLimits({
  limit,
  quota,
  isExpensive,
  limits = [],
}: Pick<Operation, 'limit' | 'quota' | 'isExpensive' | 'limits'>): readonly (keyof Limits)[] {
  return [
    ...(limit === 'bulk' ? (['bulkResolvePerMinute'] as const) : []),
    ...(quota === 'saves' ? saveLimits : []),
    ...(isExpensive ? (['largeBodiesPerCaller'] as const) : []),
    ...limits,
  ]
}
