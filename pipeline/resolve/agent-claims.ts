import { BADGE_VERSION } from '../model/badge.ts'

/** Claims of an agent that do not fit together, and what they were judged by. */
export type ClaimFault =
  | { error_kind: 'unsupported_adcp_version'; declared_version: string; known_versions: string[] }
  | {
      error_kind: 'unknown_specialism'
      declared_specialisms: string[]
      known_specialisms: string[]
    }
  | {
      error_kind: 'specialism_parent_protocol_missing'
      declared_specialisms: string[]
      declared_protocols: string[]
      required_protocols: string[]
    }

interface Claims {
  adcp_version?: string | undefined
  supported_protocols?: string[] | undefined
  specialisms?: string[] | undefined
}

/** Major version of the storyboards. */
const VERSION = `v${BADGE_VERSION.split('.')[0]}`
/** Specialisms of no protocol of their own. */
const withoutProtocol = ['signed-requests']

/**
 * Checks that it follows from an agent's claims which storyboards are for it. `protocolsBySpecialism` are those that
 * bundles have.
 */
export function checkClaims(
  claims: Claims,
  protocolsBySpecialism: ReadonlyMap<string, string>,
): ClaimFault | undefined {
  const { adcp_version, supported_protocols: protocols = [], specialisms: claimed = [] } = claims
  if (adcp_version !== undefined && adcp_version !== VERSION) {
    const error_kind = 'unsupported_adcp_version'
    return { error_kind, declared_version: adcp_version, known_versions: [VERSION] }
  }
  const known = [...protocolsBySpecialism.keys(), ...withoutProtocol].sort()
  const unknown = claimed.filter(name => !known.includes(name))
  if (unknown.length > 0) {
    const error_kind = 'unknown_specialism'
    return { error_kind, declared_specialisms: unknown, known_specialisms: known }
  }
  const orphans = claimed.flatMap(specialism => {
    const protocol = protocolsBySpecialism.get(specialism)?.replaceAll('-', '_')
    return protocol === undefined || protocols.includes(protocol) ? [] : { specialism, protocol }
  })
  if (orphans.length === 0) return undefined
  return {
    error_kind: 'specialism_parent_protocol_missing',
    declared_specialisms: orphans.map(({ specialism }) => specialism),
    declared_protocols: protocols,
    required_protocols: [...new Set(orphans.map(({ protocol }) => protocol))].sort(),
  }
}

/** Puts a fault into words for the organization of the agent. */
export function describeClaimFault(fault: ClaimFault): string {
  const names = (list: readonly string[]) => list.join(', ')
  if (fault.error_kind === 'unsupported_adcp_version') {
    return `the agent speaks ${fault.declared_version}; the storyboards are for ${names(fault.known_versions)}`
  }
  const claimed = names(fault.declared_specialisms)
  if (fault.error_kind === 'unknown_specialism') {
    return `the agent claims specialisms that the protocol does not have: ${claimed}`
  }
  return `the agent claims ${claimed}, but not the protocol that this is a part of: ${names(fault.required_protocols)}`
}
