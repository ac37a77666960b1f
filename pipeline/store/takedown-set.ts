import { parseUrl } from '../core/url.ts'
import type { Operation, Submission } from '../model/submission.ts'
import type { KnownFile } from '../resolve/derivation.ts'

/** Domains that the registry may say nothing of, with those below them. */
export class TakenDown {
  readonly #domains: ReadonlySet<string>

  constructor(domains: Iterable<string> = []) {
    this.#domains = new Set(domains)
  }

  /** Tells whether a domain, or an address, belongs to one of them. */
  covers(place: string): boolean {
    if (this.#domains.size === 0) return false
    for (let name = getHost(place); ; name = name.slice(name.indexOf('.') + 1)) {
      if (this.#domains.has(name)) return true
      if (!name.includes('.')) return false
    }
  }
}

/**
 * Finds submissions about a place that was taken down; operations on ownership and on the list itself are
 * not among them.
 */
export function findRefusedPlaces(
  submissions: readonly Submission[],
  takenDown: TakenDown,
): string[] {
  return submissions
    .filter(({ operation }) => !/^(domain|organization|ownership)\./.test(operation.op))
    .filter(({ operation }) => listPlaces(operation).some(place => takenDown.covers(place)))
    .map(({ submission_id }) => submission_id)
}

function listPlaces(operation: Operation): string[] {
  if (operation.op === 'property.contribute') {
    return operation.contributed.map(({ identifier }) => identifier.value)
  }
  return 'domain' in operation ? [operation.domain] : []
}

export const nothingTakenDown = new TakenDown()

function getHost(place: string): string {
  return parseUrl(place)?.hostname ?? place
}

/** A file that rules see in place of one that was taken down: long absent. */
export const withheld: KnownFile = {
  validity: 'expired',
  state: {
    outcome: 'absent',
    status: 404,
    effect: 'absent',
    streak_since: 0,
    attempted_at: 0,
    succeeded_at: null,
    stale_at: 0,
    ended_at: 0,
    absent_at: null,
  },
}

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
