import type { PolicyRow } from '../../model/policy.ts'
import type { Database } from '../../store/duckdb.ts'
import { toHistoryKey, toJsonValue, toRevisionKey } from '../document-value.ts'
import type { Entry } from '../lmdb.ts'
import type { Scope } from './change-scope.ts'

/** Projects policies as they are shown. A rejected one had a single revision, which is removed with it. */
export async function projectPolicies(
  index: Database,
  { policies, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<PolicyRow & { key: string }>(
    `select key, p.* exclude (seq) from ${policies} k left join policies p on p.policy_id = k.key`,
    parameters,
  )
  return rows.flatMap(({ key, ...policy }): Entry[] =>
    policy.policy_id === null
      ? [
          { space: 'policy', key, value: undefined },
          { space: 'revision', key: toHistoryKey('policy', key), value: undefined },
          { space: 'revision', key: toRevisionKey('policy', key, 1), value: undefined },
        ]
      : [{ space: 'policy', key, value: toJsonValue(policy) }],
  )
}
