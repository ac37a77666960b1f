import type { PolicyRow } from '../../model/policy.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { historyKey, revisionKey } from '../serving-value.ts'

/** Policies as they are shown. One that was rejected had one revision, which goes with it. */
export async function policyEntries(
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
          { space: 'revision', key: historyKey('policy', key), value: undefined },
          { space: 'revision', key: revisionKey('policy', key, 1), value: undefined },
        ]
      : [{ space: 'policy', key, value: Buffer.from(JSON.stringify(policy)) }],
  )
}
