import { hash } from 'node:crypto'
import type { RoleHolder } from '../core/roles.ts'
import type { SourceKind } from '../model/documents.ts'
import type { HostedKind } from '../model/hosted.ts'
import type { AuthorizationRow, PropertyRow } from '../model/rows.ts'
import { identifierKey } from '../resolve/identifiers.ts'

/**
 * Keys of pairs. The first part is a hash, so that addresses of any length fit; all keys of one agent,
 * or of one identifier, stand together and are read as a range.
 */
export function hashOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16)
}

let lastAgent = ''
let hashOfLast = hashOf(lastAgent)

/** The same for the address of an agent: one answer looks under several keys of one agent. */
export function agentHashOf(agentUrl: string): string {
  if (agentUrl !== lastAgent) {
    hashOfLast = hashOf(agentUrl)
    lastAgent = agentUrl
  }
  return hashOfLast
}

/** How the files of a domain stand with the crawler, or an agent, whose address may be of any length. */
export function freshnessKey(kind: SourceKind, location: string): string {
  return kind === 'agent' ? `agent ${agentHashOf(location)}` : location
}

/** What an agent reaches of a publisher. */
export function reachKey(agentUrl: string, publisher: string): string {
  return `${agentHashOf(agentUrl)} ${publisher}`
}

/** An agent; those that differ in nothing but case stand together. */
export function agentKey(agentUrl: string): string {
  const own = agentHashOf(agentUrl)
  const loose = agentUrl.toLowerCase()
  return `${loose === agentUrl ? own : hashOf(loose)} ${own}`
}

/** Who holds roles; an id of any length fits. */
export function roleKey(holder: RoleHolder, id: string): string {
  return `${holder} ${hashOf(id)}`
}

/** The file that is hosted for a domain. */
export function hostedKey(kind: HostedKind, domain: string): string {
  return `${kind} ${domain}`
}

/** A logo of a brand; those of one brand stand together. */
export function logoKey(domain: string, logoId: string): string {
  return `${domain} ${logoId}`
}

/** Under which all reviews stand together, without what was handed in. */
export const REVIEWS = 'review'

export function reviewKey(reviewId: string): string {
  return `${REVIEWS} ${reviewId}`
}

/** What was handed in. */
export function payloadKey(reviewId: string): string {
  return `payload ${reviewId}`
}

export function identifierEntryKey(key: string, rid: string): string {
  return `${hashOf(key)} ${rid}`
}

/** That a publisher's grants reach a property of another one, which its own was merged into. */
export function elsewhereKey(rid: string, publisher: string): string {
  return `${hashOf(`granted ${rid}`)} ${publisher}`
}

/** The rows of one publisher that its properties are found by. */
export interface Findable {
  properties: readonly PropertyRow[]
  authorizations: readonly AuthorizationRow[]
}

/** Under what a publisher's active properties are found, and those of others that its grants reach. */
export function identifierKeysOf({ properties, authorizations }: Findable): string[] {
  const keys = new Set<string>()
  for (const row of properties.filter(({ status }) => status === 'active')) {
    for (const one of row.identifiers) {
      keys.add(identifierEntryKey(identifierKey(one), row.property_rid))
    }
  }
  const own = new Set(properties.map(row => row.property_rid))
  for (const { property_rids, publisher_domain } of authorizations) {
    for (const rid of property_rids) {
      if (!own.has(rid)) keys.add(elsewhereKey(rid, publisher_domain))
    }
  }
  return [...keys]
}

/** What an organization has shown of a domain. */
export function ownershipKey(orgId: string, domain: string): string {
  return `${orgId} ${domain}`
}

/** Whose a domain is. */
export function holderKey(domain: string): string {
  return `holder ${domain}`
}

/** Under which the domains that an organization holds stand together. */
export function holdingsOf(orgId: string): string {
  return `holds ${orgId}`
}

export function holdingKey(orgId: string, domain: string): string {
  return `${holdingsOf(orgId)} ${domain}`
}
