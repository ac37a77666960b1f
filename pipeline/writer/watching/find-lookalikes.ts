import { getRegistrableDomain } from '../../core/domain.ts'
import { isLookalike } from '../../core/lookalikes/check-name.ts'
import { toSkeleton } from '../../core/lookalikes/confusables.ts'
import { getSiteLabel } from '../../core/lookalikes/protected-names.ts'
import type { WatchedRows } from './watched-rows.ts'

type Entry = WatchedRows['entries'][number]

/**
 * Finds the saved entries whose names look like one of these domains. Whatever looks like a name contains the skeleton of
 * its label, which is compared first: the whole check takes a hundred times longer.
 */
export function findLookalikes(
  domains: ReadonlySet<string>,
  entries: readonly Entry[],
): Map<string, Entry[]> {
  const named = entries.map(entry => ({
    entry,
    skeleton: toSkeleton(entry.domain).replace(/\p{M}/gu, ''),
  }))
  const found = new Map<string, Entry[]>()
  for (const domain of domains) {
    const label = toSkeleton(getSiteLabel(getRegistrableDomain(domain) ?? domain))
    const core = label.replace(/\p{M}/gu, '')
    const alike = named
      .filter(({ skeleton, entry }) => skeleton.includes(core) && isLookalike(entry.domain, domain))
      .map(({ entry }) => entry)
    if (alike.length > 0) found.set(domain, alike)
  }
  return found
}
