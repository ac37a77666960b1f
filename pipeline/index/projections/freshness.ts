import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'
import { type CrawlFacts, freshnessValue } from '../serving-value.ts'

export async function freshnessEntries(
  index: Database,
  { files, parameters }: Scope,
): Promise<Entry[]> {
  const rows = await index.all<CrawlFacts & { kind: string; location: string }>(
    `select kind, location, outcome, status, epoch_ms(attempted_at)::double as attempted_at,
       epoch_ms(succeeded_at)::double as succeeded_at from crawl_state
     where ${files} and attempted_at is not null and not contains(location, '://')`,
    parameters,
  )
  return rows.map(row => ({
    space: 'freshness',
    key: freshnessKey(row.kind, row.location),
    value: freshnessValue(row),
  }))
}

export function freshnessKey(kind: string, domain: string): string {
  return `${kind} ${domain}`
}
