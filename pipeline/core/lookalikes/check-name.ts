import { getRegistrableDomain } from '../domain.ts'
import { isAllowedIdn, isIdn, toSkeleton, toUnicode } from './confusables.ts'
import { getSiteLabel, type ProtectedNames } from './protected-names.ts'
import { classifyScripts } from './unicode-scripts.ts'

/** Verdict on a new name: accept it, have a person review it, or reject it. The reason is for people. */
export type NameVerdict = { verdict: 'ok' } | { verdict: 'reject' | 'review'; reason: string }

export interface KnownNames {
  protectedNames: ProtectedNames
  /** Registered names that may look like it. */
  registered: Iterable<string>
}

/**
 * Length from which a protected label counts anywhere within another one. Shorter ones are part of too
 * many words and count only between hyphens.
 */
export const CONTAINED_LABEL_CHARS_MIN = 5

/**
 * Checks whether a new name can be mistaken for another one. Letters of other scripts in the shape of a
 * known ASCII name are no accident and are rejected. Names that imitate one in ASCII (rnicrosoft,
 * acme-login) may have been chosen in good faith, so a person reviews them. Subdomains of a protected
 * domain belong to its owner and are not compared.
 */
export function checkName(domain: string, { protectedNames, registered }: KnownNames): NameVerdict {
  const site = getRegistrableDomain(domain) ?? domain
  if (isIdn(domain) && !isAllowedIdn(domain)) {
    return { verdict: 'reject', reason: 'IDNA 2008 does not allow this name' }
  }
  const verdicts = [
    ...(isIdn(domain) ? toUnicode(domain).split('.').map(checkScripts) : []),
    ...(protectedNames.sites.has(site)
      ? []
      : [
          ...findLookalikes(domain, site, protectedNames, registered),
          ...listOwnLabels(domain, site).map(label => checkLabel(label, protectedNames)),
        ]),
  ]
  return (
    verdicts.find(({ verdict }) => verdict === 'reject') ??
    verdicts.find(({ verdict }) => verdict === 'review') ??
    accepted
  )
}

/**
 * Tells whether a name can be mistaken for another one, of which `names` was built. A name below the same
 * registrable domain cannot.
 */
export function isLookalike(domain: string, other: string, names: ProtectedNames): boolean {
  const site = getRegistrableDomain(domain) ?? domain
  if (names.sites.has(site)) return false
  const labels = listOwnLabels(domain, site)
  return (
    findLookalikes(domain, site, names, [other]).length > 0 ||
    labels.some(label => checkLabel(label, names).verdict !== 'ok')
  )
}

const accepted: NameVerdict = { verdict: 'ok' }

/** Checks one label of an internationalized domain: no language mixes Latin with Cyrillic in one word. */
function checkScripts(label: string): NameVerdict {
  const scripts = classifyScripts(label)
  if (scripts === 'mixed') {
    return { verdict: 'reject', reason: `${label} mixes scripts that no language combines` }
  }
  if (scripts === 'unusual') {
    return { verdict: 'review', reason: `${label} is in a script that is rarely used for names` }
  }
  return accepted
}

/** Finds known names, other than its own, that look like the whole name. */
function findLookalikes(
  domain: string,
  site: string,
  { bySkeleton }: ProtectedNames,
  registered: Iterable<string>,
): NameVerdict[] {
  const skeletons = new Set([toSkeleton(domain), toSkeleton(site)])
  const lookalikes = [...skeletons].flatMap(skeleton => bySkeleton.get(skeleton) ?? [])
  for (const other of registered) {
    const otherSite = getRegistrableDomain(other) ?? other
    if (otherSite === site) continue
    if (skeletons.has(toSkeleton(other)) || isImitation(site, otherSite)) lookalikes.push(other)
  }
  return lookalikes
    .filter(other => other !== domain)
    .map(other => ({
      verdict: isIdn(domain) && !isIdn(other) ? 'reject' : 'review',
      reason: `${toShownName(domain)} looks like ${toShownName(other)}`,
    }))
}

/**
 * Tells whether the name before the public suffix is written to look like that of another site, whatever
 * the suffix: paypa1.net imitates paypal.com. The very same name is used by many who do not imitate anybody.
 */
function isImitation(site: string, otherSite: string): boolean {
  const [label, other] = [getSiteLabel(site), getSiteLabel(otherSite)]
  return label !== other && toSkeleton(label) === toSkeleton(other)
}

/** Lists the labels that the owner of a domain chose: all except the public suffix. */
function listOwnLabels(domain: string, site: string): string[] {
  const suffixLabels = site.split('.').length - 1
  const labels = toUnicode(domain).split('.')
  return labels.slice(0, Math.max(1, labels.length - suffixLabels))
}

/** Checks whether a label looks like a protected one, or contains it. */
function checkLabel(label: string, { byLabelSkeleton }: ProtectedNames): NameVerdict {
  const skeleton = toSkeleton(label)
  const same = byLabelSkeleton.get(skeleton)
  const isPlain = /^[a-z0-9-]*$/.test(label)
  if (same) {
    const reason = `${label} looks like the name of ${toShownName(same.site)}`
    return { verdict: isPlain || label === same.label ? 'review' : 'reject', reason }
  }
  // Without combining marks, and piece by piece: acme-login contains acme.
  const parts = [skeleton.replace(/\p{M}/gu, ''), ...skeleton.split('-')]
  const part = parts.map(text => byLabelSkeleton.get(text)).find(found => found !== undefined)
  const within = part ?? findContainedName(skeleton, byLabelSkeleton)
  if (within === undefined) return accepted
  return {
    verdict: 'review',
    reason: `${label} contains the name of ${toShownName(within.site)}`,
  }
}

function findContainedName(skeleton: string, byLabelSkeleton: ProtectedNames['byLabelSkeleton']) {
  for (const [other, named] of byLabelSkeleton) {
    if (named.label.length >= CONTAINED_LABEL_CHARS_MIN && skeleton.includes(other)) return named
  }
  return undefined
}

function toShownName(domain: string): string {
  return isIdn(domain) ? `${domain} (${toUnicode(domain)})` : domain
}
