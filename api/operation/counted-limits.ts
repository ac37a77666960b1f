import type { Limits } from '../../pipeline/core/limits.ts'
import { saveLimits } from '../limits/save-quota.ts'
import type { Operation } from './operation.ts'

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
