import type { Domain } from '../../core/domain.ts'
import { findNearestWord } from '../../core/nearest-word.ts'
import type { Database } from '../../store/database.ts'

/** First characters of a name, which a misspelling mostly leaves as they are. */
const PREFIX_CHARS = 3
/** Names that are compared: no commit runs meanwhile. */
const CANDIDATES_MAX = 10_000

const CANDIDATES = `
select distinct domain from frontier
where domain >= $prefix and domain < $prefix || '~' limit ${CANDIDATES_MAX}`

/**
 * Finds the crawled domain that another one is most likely a misspelling of: one under another ending, else the one
 * with the fewest letters changed. Undefined if none is near.
 */
export async function findNearestDomain(
  index: Database,
  domain: Domain,
): Promise<Domain | undefined> {
  const prefix = domain.slice(0, PREFIX_CHARS)
  const rows = await index.all<{ domain: Domain }>(CANDIDATES, { prefix })
  const names = rows.map(row => row.domain)
  const near = findNearestWord(domain, names) ?? names.find(name => hasSameStem(name, domain))
  return names.find(name => name === near)
}

/** Tells whether two names differ at most behind their last dot. */
function hasSameStem(a: Domain, b: Domain): boolean {
  return cutEnding(a) === cutEnding(b)
}

function cutEnding(domain: Domain): string {
  return domain.slice(0, domain.lastIndexOf('.'))
}
