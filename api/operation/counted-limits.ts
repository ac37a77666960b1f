import type { Limits } from '../../pipeline/core/limits.ts'
import type { Operation } from '../operation/operation.ts'
import { saveLimits } from './save-quota.ts'

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
