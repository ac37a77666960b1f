import { type Domain, registrableDomain } from '../core/domain.ts'
import { judgeName, type NameVerdict } from '../core/judge-name.ts'
import { lookOf } from '../core/look.ts'
import type { ProtectedNames } from '../core/protected-names.ts'
import { type Database, listOf } from './duckdb.ts'

export type NameFault = Exclude<NameVerdict, { verdict: 'fine' }>

/** Tables of registered names, each with its column `domain`. */
const REGISTERS = ['brands', 'publishers', 'entries']

/** `lookOf` for names of nothing but ASCII. */
export const ASCII_LOOK = `replace(translate(domain, '01', 'ol'), 'm', 'rn')`

/**
 * What is to be said against each of these names as a new entry: nothing, where it is not in the
 * answer. Looks are made while asking, and stand in no column: whoever commits a hundred thousand
 * brands pays nothing for the few names that people enter.
 */
export async function nameFaults(
  index: Database,
  domains: readonly Domain[],
  protectedNames: ProtectedNames,
): Promise<Map<Domain, NameFault>> {
  const faults = new Map<Domain, NameFault>()
  if (domains.length === 0) return faults
  const registered = await namesLike(index, domains)
  for (const domain of new Set(domains)) {
    const verdict = judgeName(domain, { protectedNames, registered })
    if (verdict.verdict !== 'fine') faults.set(domain, verdict)
  }
  return faults
}

/** Registered names that look like one of these, and all that are not ASCII, which SQL cannot tell. */
async function namesLike(index: Database, domains: readonly Domain[]): Promise<string[]> {
  const looks = new Set(
    domains.flatMap(domain => [lookOf(domain), lookOf(registrableDomain(domain) ?? domain)]),
  )
  const asked = { looks: JSON.stringify([...looks]), ...commonOf([...looks]), encoded: 'xn--' }
  const found = new Set<string>()
  for (const table of REGISTERS) {
    const rows = await index.all<{ domain: string }>(
      `select domain from ${table}
       where (strlen(domain) between $shortest and $longest and contains($initials, domain[1])
           and ${ASCII_LOOK} in (select unnest(${listOf('$looks')})))
         or contains(domain, $encoded)`,
      asked,
      'kept',
    )
    for (const { domain } of rows) found.add(domain)
  }
  return [...found].filter(domain => looks.has(knownLook(domain)))
}

/** Of ASCII letters, those that look like others; what two have as one begins with its first. */
const unlike: Readonly<Record<string, string>> = { o: 'o0', l: 'l1', r: 'rm' }

/**
 * What names of ASCII with one of these looks have in common, and is told at once: making the looks
 * of a million names takes many times as long.
 */
function commonOf(looks: readonly string[]) {
  const initials = new Set(looks.flatMap(([first = '']) => [...(unlike[first] ?? first)]))
  return {
    shortest: Math.min(...looks.map(look => look.replaceAll('rn', 'm').length)),
    longest: Math.max(...looks.map(look => look.length)),
    initials: [...initials].join(''),
  }
}

/** Looks of the names that are not ASCII: they are few, and asked for each time. */
const known = new Map<string, string>()
const LOOKS_KEPT = 100_000

function knownLook(domain: string): string {
  const look = known.get(domain) ?? lookOf(domain)
  if (known.size >= LOOKS_KEPT) known.clear()
  known.set(domain, look)
  return look
}
