/** Builds the SQL for the host of a column that holds domains or URLs. */
const selectHost = (column: string) =>
  `if(contains(${column}, '://'), regexp_extract(${column}, '^[a-z]+://([^/:?#]+)', 1), ${column})`

/**
 * Builds the SQL condition that a column, which holds domains or URLs, is one of the domains in the parameter
 * `$domains` (a JSON list) or below one.
 */
export function buildDomainCondition(column: string): string {
  return `exists (select 1 from (select value as d from json_each($domains))
    where ${selectHost(column)} = d or ends_with(${selectHost(column)}, '.' || d))`
}

/**
 * Builds a regular expression, for RE2 and JavaScript alike, that finds domains and names below them in a
 * text.
 */
export function buildNamesPattern(domains: readonly string[]): string {
  const names = domains.map(domain => domain.replaceAll('.', '\\.')).join('|')
  return `(^|[^a-z0-9_-])(${names})([^a-z0-9_.-]|\\.([^a-z0-9]|$)|$)`
}
