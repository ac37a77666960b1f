import { ConfigError } from '../config.ts'
import { getRegistrableDomain, parseDomain } from '../domain.ts'
import { getFirst } from '../present.ts'
import { readSettingFile } from '../settings/setting-file.ts'
import { toSkeleton, toUnicode } from './confusables.ts'

const SETTING = 'PROTECTED_NAMES'

/** Names that other registrants must not imitate. */
export interface ProtectedNames {
  /** Registrable domains. */
  sites: ReadonlySet<string>
  /** Skeleton (`toSkeleton`) of a registrable domain → the domain. */
  bySkeleton: ReadonlyMap<string, string>
  /** Skeleton of the label before the public suffix (`acme` of `acme.co.uk`) → the label and its domain. */
  byLabelSkeleton: ReadonlyMap<string, { label: string; site: string }>
}

/** Returns the label before the public suffix of a registrable domain, in Unicode: `acme` of `acme.co.uk`. */
export function getSiteLabel(site: string): string {
  return getFirst(toUnicode(site).split('.', 1))
}

/** Indexes domains by what they look like; a domain below another one protects its registrable domain. */
export function buildProtectedNames(domains: Iterable<string>): ProtectedNames {
  const sites = new Set<string>()
  const bySkeleton = new Map<string, string>()
  const byLabelSkeleton = new Map<string, { label: string; site: string }>()
  for (const domain of domains) {
    const site = getRegistrableDomain(domain) ?? domain
    const label = getSiteLabel(site)
    sites.add(site)
    bySkeleton.set(toSkeleton(site), site)
    byLabelSkeleton.set(toSkeleton(label), { label, site })
  }
  return { sites, bySkeleton, byLabelSkeleton }
}

export const noProtectedNames = buildProtectedNames([])

/**
 * Reads the file that `PROTECTED_NAMES` names: a domain per line; `#` begins a comment. Without a path there
 * are no protected names. Throws `ConfigError` if the file cannot be read or a line is not a domain.
 */
export function readProtectedNames(path: string | undefined): ProtectedNames {
  if (path === undefined) return noProtectedNames
  const lines = readSettingFile(SETTING, path).split('\n')
  const domains = lines.flatMap((line, i) => {
    const text = line.replace(/#.*/, '').trim()
    if (text === '') return []
    const domain = parseDomain(text)
    if (domain === undefined) {
      throw new ConfigError(`${SETTING} names ${path}, of which line ${i + 1} is not a domain.`)
    }
    return [domain]
  })
  return buildProtectedNames(domains)
}
