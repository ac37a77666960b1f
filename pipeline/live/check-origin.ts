import { createHash } from 'node:crypto'
import type { Domain } from '../core/domain.ts'
import type { Outcome } from '../core/outcomes.ts'
import type { AdagentsDocument } from '../model/documents/index.ts'
import {
  claimParameter,
  type OriginCheck,
  type OriginReason,
  parseHostedDomain,
} from '../model/hosted.ts'
import type { Observation } from '../model/observation.ts'
import { type LiveDeps, LiveFiles } from './files.ts'
import { describeFailure } from './live-failure.ts'

/**
 * Outcome of an attempt without a document → its reason in the answer; any other outcome is `transient`. A
 * name in a private network and one that does not resolve have the same reason, so that callers cannot tell
 * them apart.
 */
const reasons: Partial<Record<Outcome, OriginReason>> = {
  absent: 'not_found',
  store_denied: 'not_found',
  not_json: 'invalid_json',
  too_large: 'invalid_json',
  unusable: 'no_authoritative_location',
  dns_failed: 'unresolvable',
  refused: 'unresolvable',
}

/** Checks whether the adagents.json of a domain now points to the file that `base` serves for it. */
export async function checkOrigin(
  domain: Domain,
  { base, protocolName }: { base: string; protocolName: string },
  deps: LiveDeps,
): Promise<OriginCheck> {
  const files = new LiveFiles(deps, deps.limits.validateMs)
  const observation = await files.fetch({ kind: 'adagents.json', location: domain })
  const document = observation.document as AdagentsDocument | undefined
  if (document === undefined) return toFailed(observation)
  if (document.variant === 'inline') return { reason: 'no_authoritative_location' }
  const location = document.authoritative_location
  if (parseHostedDomain(base, { kind: 'adagents.json', location }) !== domain) {
    return { reason: 'authoritative_location_mismatch', detail: `points to ${location}` }
  }
  const claim = new URL(location).searchParams.get(claimParameter(protocolName))
  return { reason: 'authoritative_location_pointer', ...(claim && { claim: hashClaim(claim) }) }
}

function toFailed(observation: Observation): OriginCheck {
  const faults = describeFailure(observation)
  const fault = faults.find(({ severity }) => severity === 'error') ?? faults[0]
  return {
    reason: reasons[observation.outcome] ?? 'transient',
    ...(fault && { detail: fault.message.slice(0, 500) }),
  }
}

/** Hashes the claim in the pointer’s address: it is a secret, so only its hash is stored. */
function hashClaim(claim: string): string {
  return createHash('sha256').update(claim).digest('hex')
}
