import { toIso } from '../../core/clock.ts'
import { toAuthorizationPayload } from '../../diff/authorization-events.ts'
import type { AuthorizationItem } from '../../model/responses/authorizations.ts'
import type { Snapshot } from '../reader.ts'
import type { GrantPlace } from './authorizations.ts'
import { listResolvedClaims, type ResolvedClaim } from './claims.ts'
import { countOnce } from './counts.ts'

const OF_AGENT_TOTAL = 'select count(*) as total from claims where agent_url = $agent'

/** Lists the claims of managers' files for an agent, after a place among its grants. */
export async function listClaims(
  snapshot: Snapshot,
  { agent, after, limit }: { agent: string; after: GrantPlace | undefined; limit: number },
): Promise<{ items: AuthorizationItem[]; total: number }> {
  // Claims of a publisher are after its grants of one property.
  const place = after && {
    publisher_domain: after.publisher_domain,
    claim_id: after.property_id_slug === null ? after.id : '',
  }
  const [claims, total] = await Promise.all([
    listResolvedClaims(snapshot, { agent, after: place, limit }),
    countOnce(snapshot, OF_AGENT_TOTAL, { agent }),
  ])
  return { items: claims.map(toItem), total }
}

const CLAIMS_PER_BATCH = 1_000

/** Streams every claim, in batches. */
export async function* streamClaims(snapshot: Snapshot): AsyncGenerator<AuthorizationItem[]> {
  let claims: ResolvedClaim[]
  let after: ResolvedClaim | undefined
  do {
    claims = await listResolvedClaims(snapshot, { after, limit: CLAIMS_PER_BATCH })
    yield claims.map(toItem)
    after = claims.at(-1)
  } while (claims.length === CLAIMS_PER_BATCH)
}

function toItem(claim: ResolvedClaim): AuthorizationItem {
  const { publisher_domain, selection_type, properties_total: total, properties } = claim
  const { property_ids, property_tags } = claim
  const only = total === 1 ? properties[0] : undefined
  const selector = {
    publisher_domain,
    selection_type,
    ...(property_ids && { property_ids }),
    ...(property_tags && { property_tags }),
  }
  const row = {
    ...claim,
    id: claim.claim_id,
    authorization_type: 'publisher_properties',
    publisher_properties: [selector],
    property_ids: null,
    property_tags: null,
    signal_ids: null,
    signal_tags: null,
    signing_keys: null,
    in_force: false,
    publisher_wide: selection_type === 'all' && total > 0,
    discovery_method: 'adagents_authoritative',
    granted_at: toIso(claim.claimed_ms),
    changed_at: toIso(claim.changed_ms),
  }
  return {
    authorized_for: null,
    signing_keys: null,
    expires_at: null,
    ...toAuthorizationPayload(row, total),
    evidence: 'adagents_authoritative',
    property_rid: only?.property_rid ?? null,
    property_id_slug: null,
    properties: properties.map(({ identifiers: _, tags: __, ...property }) => property),
    ...(total > properties.length && { properties_truncated: true }),
    path: claim.path,
    ...(claim.diverges !== null && { diverges: claim.diverges }),
    created_by: null,
    override_applied: false,
    override_reason: null,
  } as AuthorizationItem
}
