/** Builds SQL for the host of a column that holds domains or addresses. */
const selectHost = (column: string) =>
  `if(contains(${column}, '://'), regexp_extract(${column}, '^[a-z]+://([^/:?#]+)', 1), ${column})`

/**
 * Builds the condition that a column names a place of the domains in the list parameter `domains`.
 */
export function isOfDomains(column: string): string {
  return `exists (select 1 from (select unnest(from_json($domains::json, '["VARCHAR"]')) as d)
    where ${selectHost(column)} = d or ends_with(${selectHost(column)}, '.' || d))`
}

/** Finds the domains, and names below them, in any text. RE2 and JavaScript read it alike. */
export function buildNamesPattern(domains: readonly string[]): string {
  const names = domains.map(domain => domain.replaceAll('.', '\\.')).join('|')
  return `(^|[^a-z0-9_-])(${names})([^a-z0-9_.-]|\\.([^a-z0-9]|$)|$)`
}
