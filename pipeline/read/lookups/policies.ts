import type { Policy } from '../../model/responses/policies.ts'
import type { Reader } from '../reader.ts'

/** Finds a policy, approved or not. */
export function findPolicy({ serving }: Reader, policyId: string): Policy | undefined {
  const value = serving?.get('policy', policyId)
  return value === undefined ? undefined : (JSON.parse(value.toString()) as Policy)
}
