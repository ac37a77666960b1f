import type { Outcome } from '../../core/outcomes.ts'
import type { SourceKind } from '../../model/documents.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { freshnessKey } from '../serving-keys.ts'
import { freshnessValue } from '../serving-value.ts'

const COLUMNS = [
  ...['kind', 'location', 'outcome', 'status'],
  ...['epoch_ms(attempted_at)', 'epoch_ms(succeeded_at)'],
]

/** A night asks for one of every file that it looked at. */
export async function freshnessEntries(
  index: Database,
  { files, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.texts(
    COLUMNS,
    `crawl_state where ${files} and attempted_at is not null
       and (kind = 'agent' or not contains(location, '://'))`,
    parameters,
  )
  return rows.map(([kind, location, outcome, status, attempted, succeeded]) => ({
    space: 'freshness',
    key: freshnessKey(kind as SourceKind, location!),
    value: freshnessValue({
      outcome: outcome as Outcome,
      status: status === '' ? null : Number(status),
      attempted_at: Number(attempted),
      succeeded_at: succeeded === '' ? null : Number(succeeded),
    }),
  }))
}
