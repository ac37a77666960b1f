import { type Instant, toIso } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { AdagentsInline } from '../../pipeline/model/documents/index.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import type { CheckedProposal } from '../../pipeline/parse/check-file.ts'
import { buildHostedAdagents } from '../../pipeline/resolve/hosted-adagents.ts'
import { isOwn } from '../../pipeline/resolve/property-owners.ts'

/** Builds the part of a proposed adagents.json that a hosted one may have: the domain's own properties. */
export function buildHostedPart(
  document: AdagentsInline,
  domain: Domain,
  now: Instant,
): AdagentsInline {
  const own = listOwnProperties(document, domain)
  const saved = own.map(property => ({ ...property, property_rid: '' }))
  return buildHostedAdagents({ domain, properties: saved, updated_at: toIso(now) })
}

/** Lists the properties of a proposed file that are those of a domain: an entry keeps no other publisher's. */
export function listOwnProperties({ properties }: AdagentsInline, domain: Domain) {
  return properties.filter(property => isOwn(property, domain))
}

/** Counts the properties of an adagents.json that a hosted one would have: without a domain, any may be its own. */
export function countHosted(
  document: CheckedProposal['document'],
  domain: string | undefined,
  now: Instant,
): number {
  if (document?.variant !== 'inline') return 0
  return domain === undefined
    ? document.properties.length
    : buildHostedPart(document, domain as Domain, now).properties.length
}

/** Tells whether a warning is about what a hosted file has of the submitted one: it has no agents and describes no tags. */
export function isAboutHosted(kind: ProposedKind, { field }: { field: string }): boolean {
  return kind === 'brand.json' || /^(?:root|properties|contact)\b/.test(field)
}
