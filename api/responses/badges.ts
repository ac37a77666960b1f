import { BADGE_MODES, type Badge, type BadgeRole } from '../../pipeline/model/badge.ts'
import type { VerifiedBadge } from '../../pipeline/model/responses/compliance.ts'
import { STORYBOARD_PROTOCOL_VERSION } from '../../pipeline/model/storyboards/storyboard.ts'
import { findAgentTests } from '../../pipeline/read/lookups/agent-tests.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { isShownToAll } from '../../pipeline/resolve/agent-keeper.ts'
import { expireBadges } from '../../pipeline/resolve/badges.ts'

/**
 * Lists the badges that an agent has now. One whose time is over is none, also before the writer has
 * ended it; nor has an agent one that is not shown to everybody.
 */
export function listBadges(reader: Reader, agentUrl: string): Badge[] {
  const tests = findAgentTests(reader, agentUrl)
  if (tests === undefined || tests.settings?.is_opted_out) return []
  if (!isShownToAll(getMembers(reader).findKeeper(agentUrl))) return []
  return expireBadges(tests.badges, reader.now()).filter(({ state }) => state !== 'revoked')
}

/** Finds the badge of a role; of a version where one is named. */
export function findBadge(
  reader: Reader,
  agentUrl: string,
  role: BadgeRole,
  version?: string,
): Badge | undefined {
  return listBadges(reader, agentUrl).find(
    badge => badge.role === role && (version === undefined || badge.adcp_version === version),
  )
}

export function toVerifiedBadge(agentUrl: string, badge: Badge): VerifiedBadge {
  const { role, adcp_version, state, verified_at, expires_at, verified_specialisms } = badge
  return {
    role,
    adcp_version,
    status: state === 'degraded' ? 'degraded' : 'active',
    verified_at,
    expires_at,
    verified_specialisms,
    verification_modes: [...BADGE_MODES],
    verified_protocol_version: STORYBOARD_PROTOCOL_VERSION,
    badge_url: buildBadgePath(agentUrl, role),
  }
}

/** Builds the path of a badge as a picture; a pinned one shows nothing for another version. */
export function buildBadgePath(agentUrl: string, role: BadgeRole, version?: string): string {
  const pinned = version === undefined ? role : `${role}/${version}`
  return `/api/registry/agents/${encodeURIComponent(agentUrl)}/badge/${pinned}.svg`
}

/** Builds the address at which the registry answers for the badges of an agent. */
export function buildVerificationUrl(baseUrl: string, agentUrl: string): string {
  return `${baseUrl}/api/registry/agents/${encodeURIComponent(agentUrl)}/verification`
}
