import { type Domain, getRegistrableDomain } from '../../core/domain.ts'
import { checkName, type NameVerdict } from '../../core/lookalikes/check-name.ts'
import { asciiLookalikes, toSkeleton } from '../../core/lookalikes/confusables.ts'
import { getSiteLabel } from '../../core/lookalikes/protected-names.ts'
import { getFirst } from '../../core/present.ts'
import type { Database } from '../../store/database.ts'
import { loadProtectedNames, type NameRules } from './protected-brands.ts'

export type NameFault = Exclude<NameVerdict, { verdict: 'ok' }>

/** Tables of registered names, each with its column `domain`. */
const REGISTERS = ['brands', 'publishers', 'entries']

/** Finds objections to these names as new entries; a name without one is left out. */
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
 * Lists registered names that look like one of these, or begin with a label that looks like theirs. Ways to spell
 * a skeleton are tried letter by letter, as far as a registered name begins so: whoever saves waits for no table to
 * be read as a whole. SQL cannot compare non-ASCII names, so all of them are.
 */
async function listNamesLike(index: Database, domains: readonly Domain[]): Promise<string[]> {
  const sites = domains.map(domain => getRegistrableDomain(domain) ?? domain)
  const skeletons = new Set([...domains, ...sites].map(toSkeleton))
  const labels = new Set(sites.map(site => toSkeleton(getSiteLabel(site))))
  const parameters = {
    skeletons: JSON.stringify([...skeletons, ...labels]),
    lookalikes: JSON.stringify(asciiLookalikes),
  }
  const found = new Set<string>()
  for (const table of REGISTERS) {
    const rows = await index.all<{ domain: string }>(buildNamesLike(table), parameters)
    for (const { domain } of rows) found.add(domain)
  }
  const isLike = (domain: string) => {
    const skeleton = getSkeleton(domain)
    return skeletons.has(skeleton) || labels.has(getFirst(skeleton.split('.', 1)))
  }
  return [...found].filter(isLike)
}

/** Builds SQL that finds names of a table by their skeletons or those of their first labels, and all non-ASCII ones. */
function buildNamesLike(table: string): string {
  return `with recursive
    lookalikes(written, looks) as (
      select value ->> 0, value ->> 1 from json_each($lookalikes) union all select '', ''),
    spelled(begin, rest) as (
      select '', value from json_each($skeletons)
      union
      select begin || iif(looks = '', substr(rest, 1, 1), written), substr(rest, 1 + max(1, length(looks)))
      from spelled cross join lookalikes
      where rest <> '' and starts_with(rest, looks)
        and exists (select 1 from ${table} where domain >= begin and domain < begin || '${AFTER_LETTERS}'))
    select domain from spelled cross join ${table}
    where rest = '' and (domain = begin or domain > begin || '.' and domain < begin || '${AFTER_DOT}')
    union
    select domain from ${table} where instr(domain, 'xn--') > 0`
}

/** The characters that follow in ASCII on those of a host name, and on a dot. */
const [AFTER_LETTERS, AFTER_DOT] = ['{', '/']

/** Skeletons of non-ASCII names, which every check loads. */
const known = new Map<string, string>()
const SKELETONS_MAX = 100_000

function getSkeleton(domain: string): string {
  const skeleton = known.get(domain) ?? toSkeleton(domain)
  if (known.size >= SKELETONS_MAX) known.clear()
  known.set(domain, skeleton)
  return skeleton
}
