import { getRegistrableDomain } from '../../core/domain.ts'
import { CONTAINED_LABEL_CHARS_MIN, isLookalike } from '../../core/lookalikes/check-name.ts'
import { toSkeleton } from '../../core/lookalikes/confusables.ts'
import { buildProtectedNames, getSiteLabel } from '../../core/lookalikes/protected-names.ts'
import type { WatchedRows } from './watched-rows.ts'

type Entry = WatchedRows['entries'][number]

/**
 * Finds the saved entries whose names look like one of these domains. Whatever looks like a name contains the skeleton of
 * its label, or has a short one as a part of its own. That is compared first: the whole check takes a hundred times
 * longer.
 */
export function findLookalikes(
  domains: ReadonlySet<string>,
  entries: readonly Entry[],
): Map<string, Entry[]> {
  const compared = entries.map(entry => ({ entry, ...toCompared(entry.domain) }))
  const found = new Map<string, Entry[]>()
  for (const domain of domains) {
    const names = buildProtectedNames([domain])
    const label = getSiteLabel(getRegistrableDomain(domain) ?? domain)
    const core = toPlainSkeleton(label)
    const isLong = label.length >= CONTAINED_LABEL_CHARS_MIN
    const alike = compared
      .filter(({ skeleton, parts }) => (isLong ? skeleton.includes(core) : parts.has(core)))
      .map(({ entry }) => entry)
      .filter(entry => isLookalike(entry.domain, domain, names))
    if (alike.length > 0) found.set(domain, alike)
  }
  return found
}

function toCompared(domain: string) {
  const skeleton = toPlainSkeleton(domain)
  return { skeleton, parts: new Set([...skeleton.split('.'), ...skeleton.split(/[.-]/)]) }
}

/** Computes a skeleton without combining marks. */
function toPlainSkeleton(name: string): string {
  return toSkeleton(name).replace(/\p{M}/gu, '')
}
