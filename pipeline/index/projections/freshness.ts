import type { SourceKind } from '../../model/documents.ts'
import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { freshnessKey } from '../serving-keys.ts'
import { type CrawlFacts, freshnessValue } from '../serving-value.ts'

export async function freshnessEntries(
  index: Database,
  { files, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<CrawlFacts & { kind: SourceKind; location: string }>(
    `select kind, location, outcome, status, epoch_ms(attempted_at)::double as attempted_at,
       epoch_ms(succeeded_at)::double as succeeded_at from crawl_state
     where ${files} and attempted_at is not null and (kind = 'agent' or not contains(location, '://'))`,
    parameters,
  )
  return rows.map(row => ({
    space: 'freshness',
    key: freshnessKey(row.kind, row.location),
    value: freshnessValue(row),
  }))
}
