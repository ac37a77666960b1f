import type { Domain } from '../../core/domain.ts'
import type { Database } from '../../store/database.ts'
import { buildDomainCondition, buildNamesPattern } from '../../store/domain-match.ts'
import { listTakedownRules } from '../../store/takedown-rules.ts'

/** Rows of the index that a takedown deletes. */
export interface DeletedRows {
  table: string
  /** SQL with the parameters of all of them. */
  condition: string
  /** They are deleted after the commit's own rows: derived again, or erased from all copies of the feed. */
  isLater: boolean
}

/** JSON lists of domains, of their records and of the aliases that go with these; a pattern of their names. */
export type DeletedRowsParameters = Record<'domains' | 'pattern' | 'rids' | 'aliases', string>

/** Condition that an event names one of the domains that `$pattern` finds. */
export const NAMES_DOMAINS = `regexp_matches(entity_id || ' ' || payload, $pattern)`

/** Records that can be merged, by their publisher. */
export const RECORDS = `(
  select property_rid as rid, publisher_domain from properties
  union all select collection_rid, publisher_domain from collections)`

/** Builds the condition that an id is in a parameter, a JSON list. */
export function isListed(column: string, parameter: string): string {
  return `${column} in (select value from json_each(${parameter}))`
}

/**
 * Lists all rows that a takedown of domains deletes: their own, events that name them, merges from or into
 * one of their records. Records of others that were merged into one go too, since it is not known what they were.
 */
export async function listDeletedRows(
  db: Database,
  domains: readonly Domain[],
): Promise<{ parameters: DeletedRowsParameters; rows: DeletedRows[]; aliases: string[] }> {
  const names = { domains: JSON.stringify(domains), pattern: buildNamesPattern(domains) }
  const records = await db.all<{ rid: string }>(
    `select rid as rid from ${RECORDS} where ${buildDomainCondition('publisher_domain')}`,
    names,
  )
  const rids = JSON.stringify(records.map(({ rid }) => rid))
  const merged = await db.all<{ rid: string }>(
    `select alias_rid as rid from aliases
     where ${isListed('alias_rid', '$rids')} or ${isListed('canonical_rid', '$rids')}`,
    { rids },
  )
  const aliases = merged.map(({ rid }) => rid)
  return {
    parameters: { ...names, rids, aliases: JSON.stringify(aliases) },
    rows: [...listMergeRows(), ...listTakedownRules('tables'), events],
    aliases,
  }
}

const events: DeletedRows = { table: 'events', condition: NAMES_DOMAINS, isLater: true }

function listMergeRows(): DeletedRows[] {
  const either = ['alias_rid', 'canonical_rid'].flatMap(column => [
    isListed(column, '$rids'),
    isListed(column, '$aliases'),
  ])
  return [
    { table: 'properties', condition: isListed('property_rid', '$aliases'), isLater: false },
    { table: 'collections', condition: isListed('collection_rid', '$aliases'), isLater: false },
    { table: 'aliases', condition: isListed('alias_rid', '$aliases'), isLater: false },
    { table: 'alias_versions', condition: either.join(' or '), isLater: false },
  ]
}
