import type { Snapshot } from '../reader.ts'

/**
 * Builds SQL that resolves the rid in a column, for lists that are queried by rid. Records with status
 * `removed` are aliases: the identifiers they declared are in their canonical record.
 */
export function toCanonicalExpression(column: string): string {
  return `coalesce((select canonical_rid from aliases where alias_rid = ${column}), ${column})`
}

export interface Alias {
  kind: 'property' | 'collection'
  alias_rid: string
  canonical_rid: string
  evidence: string | null
  merged_at: string
}

/** Lists the records that were merged into a record, latest last. */
export function listAliases({ db }: Snapshot, rid: string): Promise<Alias[]> {
  return db.all<Alias>(
    `select kind, alias_rid, canonical_rid, evidence, merged_at from aliases
     where canonical_rid = $rid::uuid order by merged_at, alias_rid`,
    { rid },
  )
}
