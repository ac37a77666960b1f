import { readFileSync } from 'node:fs'
import { ConfigError } from './config.ts'
import { toSkeleton, toUnicode } from './confusables.ts'
import { getRegistrableDomain, parseDomain } from './domain.ts'

/** Names that other registrants must not imitate. */
export interface ProtectedNames {
  /** Registrable domains. */
  sites: ReadonlySet<string>
  /** Skeleton of a registrable domain → the domain. */
  byLook: ReadonlyMap<string, string>
  /** Skeleton of the label before the public suffix → the label and its domain. */
  byLabel: ReadonlyMap<string, { label: string; site: string }>
}

export function buildProtectedNames(domains: Iterable<string>): ProtectedNames {
  const sites = new Set<string>()
  const byLook = new Map<string, string>()
  const byLabel = new Map<string, { label: string; site: string }>()
  for (const domain of domains) {
    const site = getRegistrableDomain(domain) ?? domain
    const label = toUnicode(site).split('.', 1)[0]!
    sites.add(site)
    byLook.set(toSkeleton(site), site)
    byLabel.set(toSkeleton(label), { label, site })
  }
  return { sites, byLook, byLabel }
}

export const noneProtected = buildProtectedNames([])

/** Reads a file of domains, one a line; `#` begins a comment. Throws `ConfigError` for anything else. */
export function readProtectedNames(path: string | undefined): ProtectedNames {
  if (path === undefined) return noneProtected
  const lines = readText(path).split('\n')
  const named = lines.flatMap((line, i) => {
    const text = line.replace(/#.*/, '').trim()
    if (text === '') return []
    const domain = parseDomain(text)
    if (domain === undefined) {
      throw new ConfigError(`PROTECTED_NAMES: line ${i + 1} of ${path} is not a domain`)
    }
    return [domain]
  })
  return buildProtectedNames(named)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`PROTECTED_NAMES: ${path} cannot be read`)
  }
}
