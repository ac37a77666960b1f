import { checkName, type NameVerdict } from '../../core/check-name.ts'
import { toSkeleton } from '../../core/confusables.ts'
import { type Domain, getRegistrableDomain } from '../../core/domain.ts'
import type { ProtectedNames } from '../../core/protected-names.ts'
import { type Database, toListExpression } from '../../store/duckdb.ts'

export type NameFault = Exclude<NameVerdict, { verdict: 'fine' }>

/** Tables of registered names, each with its column `domain`. */
const REGISTERS = ['brands', 'publishers', 'entries']

/** `toSkeleton` for names of nothing but ASCII. */
export const ASCII_LOOK = `replace(translate(domain, '01', 'ol'), 'm', 'rn')`

/**
 * Finds objections to these names as new entries; a name without one is left out. Skeletons are computed in
 * the query and are no column: a commit of a hundred thousand brands pays nothing for the few names that
 * people enter.
 */
export async function nameFaults(
  index: Database,
  domains: readonly Domain[],
  protectedNames: ProtectedNames,
): Promise<Map<Domain, NameFault>> {
  const faults = new Map<Domain, NameFault>()
  if (domains.length === 0) return faults
  const registered = await listNamesLike(index, domains)
  for (const domain of new Set(domains)) {
    const verdict = checkName(domain, { protectedNames, registered })
    if (verdict.verdict !== 'fine') faults.set(domain, verdict)
  }
  return faults
}

/** Lists registered names that look like one of these, and all non-ASCII names, which SQL cannot compare. */
async function listNamesLike(index: Database, domains: readonly Domain[]): Promise<string[]> {
  const looks = new Set(
    domains.flatMap(domain => [
      toSkeleton(domain),
      toSkeleton(getRegistrableDomain(domain) ?? domain),
    ]),
  )
  const asked = {
    looks: JSON.stringify([...looks]),
    ...findCommonParts([...looks]),
    encoded: 'xn--',
  }
  const found = new Set<string>()
  for (const table of REGISTERS) {
    const rows = await index.all<{ domain: string }>(
      `select domain from ${table}
       where (strlen(domain) between $shortest and $longest and contains($initials, domain[1])
           and ${ASCII_LOOK} in (select unnest(${toListExpression('$looks')})))
         or contains(domain, $encoded)`,
      asked,
      'cached',
    )
    for (const { domain } of rows) found.add(domain)
  }
  return [...found].filter(domain => looks.has(getSkeleton(domain)))
}

/** ASCII letters that look like others; a skeleton begins with the first of its group. */
const unlike: Readonly<Record<string, string>> = { o: 'o0', l: 'l1', r: 'rm' }

/**
 * Finds what ASCII names with one of these skeletons have in common, which is checked at once:
 * computing a million skeletons takes many times as long.
 */
function findCommonParts(looks: readonly string[]) {
  const initials = new Set(looks.flatMap(([first = '']) => [...(unlike[first] ?? first)]))
  return {
    shortest: Math.min(...looks.map(look => look.replaceAll('rn', 'm').length)),
    longest: Math.max(...looks.map(look => look.length)),
    initials: [...initials].join(''),
  }
}

/** Skeletons of the non-ASCII names: they are few, and loaded each time. */
const known = new Map<string, string>()
const SKELETONS_MAX = 100_000

function getSkeleton(domain: string): string {
  const look = known.get(domain) ?? toSkeleton(domain)
  if (known.size >= SKELETONS_MAX) known.clear()
  known.set(domain, look)
  return look
}
