import { isAllowedIdn, isIdn, toSkeleton, toUnicode } from './confusables.ts'
import { getRegistrableDomain } from './domain.ts'
import type { ProtectedNames } from './protected-names.ts'
import { classifyScripts } from './unicode-scripts.ts'

/** A verdict on a name; `doubtful` means that a person should review it. */
export type NameVerdict = { verdict: 'fine' } | { verdict: 'refused' | 'doubtful'; reason: string }

export interface KnownNames {
  protectedNames: ProtectedNames
  /** Registered names that may look like it. */
  registered: Iterable<string>
}

/** Shorter protected labels are part of too many words; they count only between hyphens. */
const PART_CHARS_MIN = 5

/**
 * Checks whether a new name can be mistaken for another one. Letters of other scripts in the shape of a
 * known ASCII name are no accident and are rejected; names that ASCII alone can imitate (rnicrosoft,
 * acme-login) may be chosen in good faith, so a person reviews them. Names below a protected one are its
 * owner's.
 */
export function checkName(domain: string, { protectedNames, registered }: KnownNames): NameVerdict {
  const site = getRegistrableDomain(domain) ?? domain
  if (isIdn(domain) && !isAllowedIdn(domain)) {
    return { verdict: 'refused', reason: 'IDNA 2008 does not allow this name' }
  }
  const verdicts = [
    ...(isIdn(domain) ? toUnicode(domain).split('.').map(judgeScripts) : []),
    ...(protectedNames.sites.has(site)
      ? []
      : [
          ...findLookalikes(domain, site, protectedNames, registered),
          ...listOwnLabels(domain, site).map(label => judgeLabel(label, protectedNames)),
        ]),
  ]
  return (
    verdicts.find(({ verdict }) => verdict === 'refused') ??
    verdicts.find(({ verdict }) => verdict === 'doubtful') ??
    fine
  )
}

const fine: NameVerdict = { verdict: 'fine' }

function judgeScripts(label: string): NameVerdict {
  const scripts = classifyScripts(label)
  if (scripts === 'mixed') {
    return { verdict: 'refused', reason: `${label} mixes scripts that no language combines` }
  }
  if (scripts === 'unusual') {
    return { verdict: 'doubtful', reason: `${label} is in a script that is rarely used for names` }
  }
  return fine
}

/** Finds known names, other than its own, that look like the whole name. */
function findLookalikes(
  domain: string,
  site: string,
  { byLook }: ProtectedNames,
  registered: Iterable<string>,
): NameVerdict[] {
  const looks = new Set([toSkeleton(domain), toSkeleton(site)])
  const alike = [...looks].flatMap(look => byLook.get(look) ?? [])
  for (const other of registered) {
    if (looks.has(toSkeleton(other)) && getRegistrableDomain(other) !== site) alike.push(other)
  }
  return alike
    .filter(other => other !== domain)
    .map(other => ({
      verdict: isIdn(domain) && !isIdn(other) ? 'refused' : 'doubtful',
      reason: `${toShownName(domain)} looks like ${toShownName(other)}`,
    }))
}

/** Lists the labels that the owner of a domain chose: all except the public suffix. */
function listOwnLabels(domain: string, site: string): string[] {
  const suffix = site.split('.').length - 1
  const labels = toUnicode(domain).split('.')
  return labels.slice(0, Math.max(1, labels.length - suffix))
}

function judgeLabel(label: string, { byLabel }: ProtectedNames): NameVerdict {
  const look = toSkeleton(label)
  const same = byLabel.get(look)
  const isPlain = /^[a-z0-9-]*$/.test(label)
  if (same) {
    const reason = `${label} looks like the name of ${toShownName(same.site)}`
    return { verdict: isPlain || label === same.label ? 'doubtful' : 'refused', reason }
  }
  const parts = [look.replace(/\p{M}/gu, ''), ...look.split('-')]
  const part = parts.map(text => byLabel.get(text)).find(found => found !== undefined)
  const within = part ?? findLongPart(look, byLabel)
  if (within === undefined) return fine
  return {
    verdict: 'doubtful',
    reason: `${label} contains the name of ${toShownName(within.site)}`,
  }
}

function findLongPart(look: string, byLabel: ProtectedNames['byLabel']) {
  for (const [other, named] of byLabel) {
    if (named.label.length >= PART_CHARS_MIN && look.includes(other)) return named
  }
  return undefined
}

function toShownName(domain: string): string {
  return isIdn(domain) ? `${domain} (${toUnicode(domain)})` : domain
}
