import { hash } from 'node:crypto'
import type { SourceKind } from '../model/documents/index.ts'
import type { HostedKind } from '../model/hosted.ts'
import { isUrl } from '../model/observation.ts'
import type { AuthorizationRow, PropertyRow } from '../model/rows.ts'
import { toIdentifierKey } from '../resolve/identifiers.ts'

/**
 * Hashes the first part of a pair's key, so that addresses of any length fit. All keys of one agent, or of
 * one identifier, are adjacent and are read as a range.
 */
export function hashKey(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16)
}

let lastAgent = ''
let hashOfLast = hashKey(lastAgent)

/**
 * Hashes the address of an agent. The last hash is cached, since one answer often reads several keys of the
 * same agent.
 */
export function hashAgent(agentUrl: string): string {
  if (agentUrl !== lastAgent) {
    hashOfLast = hashKey(agentUrl)
    lastAgent = agentUrl
  }
  return hashOfLast
}

/**
 * Builds the key of the crawl facts of a domain's files, of those at an address, or of an agent.
 */
export function toFreshnessKey(kind: SourceKind, location: string): string {
  if (kind === 'agent') return `agent ${hashAgent(location)}`
  return isUrl(location) ? `address ${hashKey(location)}` : location
}

/** Builds the key of what an agent reaches of a publisher. */
export function toReachKey(agentUrl: string, publisher: string): string {
  return `${hashAgent(agentUrl)} ${publisher}`
}

/** Builds the key of an agent; agents that differ only in case are adjacent. */
export function toAgentKey(agentUrl: string): string {
  const own = hashAgent(agentUrl)
  const loose = agentUrl.toLowerCase()
  return `${loose === agentUrl ? own : hashKey(loose)} ${own}`
}

/** Builds the key of the file that is hosted for a domain. */
export function toHostedKey(kind: HostedKind, domain: string): string {
  return `${kind} ${domain}`
}

/** Builds the key of the pointer in a file, which is of a domain or at an address. */
export function toPointerKey(kind: SourceKind, location: string): string {
  return `${kind} ${isUrl(location) ? hashKey(location) : location}`
}

export function toIdentifierEntryKey(key: string, rid: string): string {
  return `${hashKey(key)} ${rid}`
}

/**
 * Builds the key that marks a publisher whose grants reach a property of another one, into which its own
 * was merged.
 */
export function toElsewhereKey(rid: string, publisher: string): string {
  return `${hashKey(`granted ${rid}`)} ${publisher}`
}

/** The rows of one publisher that its properties are found by. */
export interface Findable {
  properties: readonly PropertyRow[]
  authorizations: readonly AuthorizationRow[]
}

/**
 * Lists the keys under which the active properties of a publisher's file are found, and those of others that
 * its grants reach.
 */
export function listIdentifierKeys({ properties, authorizations }: Findable): string[] {
  const keys = new Set<string>()
  for (const row of properties) {
    if (row.status !== 'active' || row.source !== 'authoritative') continue
    for (const identifier of row.identifiers) {
      keys.add(toIdentifierEntryKey(toIdentifierKey(identifier), row.property_rid))
    }
  }
  const own = new Set(properties.map(row => row.property_rid))
  const known = new Set<readonly string[]>()
  for (const { property_rids, publisher_domain } of authorizations) {
    if (known.has(property_rids)) continue
    known.add(property_rids)
    for (const rid of property_rids) {
      if (!own.has(rid)) keys.add(toElsewhereKey(rid, publisher_domain))
    }
  }
  return [...keys]
}
