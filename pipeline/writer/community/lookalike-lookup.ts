import { type Domain, getRegistrableDomain } from '../../core/domain.ts'
import { checkName, type NameVerdict } from '../../core/lookalikes/check-name.ts'
import { toSkeleton } from '../../core/lookalikes/confusables.ts'
import { getSiteLabel } from '../../core/lookalikes/protected-names.ts'
import { getFirst } from '../../core/present.ts'
import type { Database } from '../../store/database.ts'
import { loadProtectedNames, type NameRules } from './protected-brands.ts'

export type NameFault = Exclude<NameVerdict, { verdict: 'ok' }>

/** Tables of registered names, each with its column `domain`. */
const REGISTERS = ['brands', 'publishers', 'entries']

/** SQL that computes `toSkeleton` of an ASCII name. */
export const ASCII_SKELETON = `replace(replace(replace(domain, '0', 'o'), '1', 'l'), 'm', 'rn')`

/**
 * Finds objections to these names as new entries; a name without one is left out. Skeletons are computed in
 * the query and are no column: a commit of a hundred thousand brands pays nothing for the few names that
 * people enter.
 */
export async function findNameFaults(
  index: Database,
  domains: readonly Domain[],
  rules: NameRules,
): Promise<Map<Domain, NameFault>> {
  const faults = new Map<Domain, NameFault>()
  if (domains.length === 0) return faults
  const protectedNames = await loadProtectedNames(index, rules)
  const registered = await listNamesLike(index, domains)
  for (const domain of new Set(domains)) {
    const verdict = checkName(domain, { protectedNames, registered })
    if (verdict.verdict !== 'ok') faults.set(domain, verdict)
  }
  return faults
}

/**
 * Lists registered names that look like one of these, or begin with a label that looks like theirs, and all
 * non-ASCII names, which SQL cannot compare.
 */
async function listNamesLike(index: Database, domains: readonly Domain[]): Promise<string[]> {
  const skeletons = new Set(
    domains.flatMap(domain => [
      toSkeleton(domain),
      toSkeleton(getRegistrableDomain(domain) ?? domain),
    ]),
  )
  const labels = new Set(
    domains.map(domain => toSkeleton(getSiteLabel(getRegistrableDomain(domain) ?? domain))),
  )
  const whole = findCommonParts([...skeletons])
  const first = findCommonParts([...labels])
  const parameters = {
    skeletons: JSON.stringify([...skeletons]),
    labels: JSON.stringify([...labels]),
    shortest: whole.shortest,
    longest: whole.longest,
    shortestLabel: first.shortest,
    longestLabel: first.longest,
    initials: whole.initials + first.initials,
    encoded: 'xn--',
  }
  const found = new Set<string>()
  for (const table of REGISTERS) {
    const rows = await index.all<{ domain: string }>(
      // What is cheap to compare comes first, in a step of its own: the skeletons of all rows take longer.
      `with near as materialized (
         select domain from ${table}
         where contains($initials, substr(domain, 1, 1)) and (length(domain) between $shortest and $longest
             or instr(domain, '.') - 1 between $shortestLabel and $longestLabel)
           or contains(domain, $encoded))
       select domain from near where contains(domain, $encoded)
         or ${ASCII_SKELETON} in (select value from json_each($skeletons))
         or split_part(${ASCII_SKELETON}, '.', 1) in (select value from json_each($labels))`,
      parameters,
    )
    for (const { domain } of rows) found.add(domain)
  }
  const isLike = (domain: string) => {
    const skeleton = getSkeleton(domain)
    return skeletons.has(skeleton) || labels.has(getFirst(skeleton.split('.', 1)))
  }
  return [...found].filter(isLike)
}

/** First character of a skeleton → ASCII characters with which a name of that skeleton can begin. */
const lookalikeInitials: Readonly<Record<string, string>> = { o: 'o0', l: 'l1', r: 'rm' }

/**
 * Computes bounds that every ASCII name with one of these skeletons meets. Comparing lengths and first
 * letters before is many times faster than computing the skeletons of a million names.
 */
function findCommonParts(skeletons: readonly string[]) {
  const initials = new Set(
    skeletons.flatMap(([first = '']) => [...(lookalikeInitials[first] ?? first)]),
  )
  return {
    shortest: Math.min(...skeletons.map(skeleton => skeleton.replaceAll('rn', 'm').length)),
    longest: Math.max(...skeletons.map(skeleton => skeleton.length)),
    initials: [...initials].join(''),
  }
}

/** Skeletons of non-ASCII names, which every check loads. */
const known = new Map<string, string>()
const SKELETONS_MAX = 100_000

function getSkeleton(domain: string): string {
  const skeleton = known.get(domain) ?? toSkeleton(domain)
  if (known.size >= SKELETONS_MAX) known.clear()
  known.set(domain, skeleton)
  return skeleton
}
